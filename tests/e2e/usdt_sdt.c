// SPDX-License-Identifier: Apache-2.0
// usdt probes as the header of SystemTap makes them.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

unsigned short sdt_guarded_semaphore __attribute__((section(".probes")));
unsigned short sdt_mixed_semaphore __attribute__((section(".probes")));

__attribute__((noinline, noclone)) static long call(int small, long large, const char *text,
                                                    short s)
{
    if (sdt_guarded_semaphore)
        DTRACE_PROBE2(sdt, guarded, small, large);
    STAP_PROBE4(sdt, mixed, small, large, text, s);
    return small + large;
}

int main(void)
{
    static char text[] = "from the header";
    long sum = 0;
    text[0] = 'f';
    kill(getpid(), SIGSTOP);
    for (int i = 1; i <= 20; i++)
        sum += call(-i, i * 1000000000L, text, (short)(i - 10));
    printf("sum %ld\n", sum);
    fflush(stdout);
    kill(getpid(), SIGSTOP);
    return 0;
}
