// peak_memory FILE COMMAND...: runs the command and writes its peak resident memory in KiB to FILE. A shell or Python
// in its place would be measured too: what a process had before exec counts.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 3) return 125;
  const pid_t child = fork();
  if (child == 0) {
    execv(argv[2], argv + 2);
    _exit(127);
  }
  int status = 0;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return 125;
  FILE* file = fopen(argv[1], "w");
  if (file == NULL || fprintf(file, "%ld\n", usage.ru_maxrss) < 0 || fclose(file) != 0) return 125;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
