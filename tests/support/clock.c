/* Loaded before the C library: the clocks of a machine that sleeps when a test says so.
 *
 * The file that CLOCK_FILE names has two numbers: how many seconds more the machine has been awake, and how many
 * more it has been asleep. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
    long answer = syscall(SYS_clock_gettime, clock, time);
    if (answer != 0 || (clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME && clock != CLOCK_REALTIME)) {
        return (int)answer;
    }
    int before = errno;
    char text[64] = {0};
    const char *path = getenv("CLOCK_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) {
        if (read(file, text, sizeof text - 1) > 0) {
            char *next = text;
            long awake = strtol(next, &next, 10);
            long asleep = strtol(next, &next, 10);
            time->tv_sec += clock == CLOCK_MONOTONIC ? awake : awake + asleep;
        }
        close(file);
    }
    errno = before;
    return 0;
}
