# SPDX-License-Identifier: Apache-2.0
# In the guest: a contended mutex, then programs that interrupt each other.
status=0
sh ./guest_mutex.sh || status=1
sh ./guest_nest.sh || status=1
exit $status
