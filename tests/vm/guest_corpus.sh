# SPDX-License-Identifier: Apache-2.0
# In the guest: the corpus, every script with what it must print.
sh ./corpus.sh /test/zhen /test corpus/ -- *.bt
