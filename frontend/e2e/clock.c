// The time that a server under test takes for now: that of the machine and as many seconds as the file in TEST_CLOCK says.
// Loaded before the C library (LD_PRELOAD). What is measured, and what is waited for, goes by another clock, which stays.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = syscall(SYS_clock_gettime, clock, now);
  const char *path = clock == CLOCK_REALTIME ? getenv("TEST_CLOCK") : NULL;
  int file = path ? open(path, O_RDONLY) : -1;
  if (file >= 0) {
    char seconds[32] = {0};
    if (read(file, seconds, sizeof seconds - 1) > 0) now->tv_sec += atoll(seconds);
    close(file);
  }
  return failed;
}
