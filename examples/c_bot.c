/* A player in C: it plays a random open try.

       cc -O2 -o c_bot examples/c_bot.c
       kriegbot match program:./c_bot rand

   docs/bots.md explains the protocol. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 65536, MOST_TRIES = 1024 };

static unsigned long long state;

/* Return the next random number of SplitMix64 below a limit. */
static unsigned long long below(unsigned long long limit) {
    unsigned long long z = (state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return (z ^ (z >> 31)) % limit;
}

int main(void) {
    static char line[LONGEST_LINE], tries[LONGEST_LINE];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "seed ", 5) == 0) {
            state = strtoull(line + 5, NULL, 10);
        } else if (strcmp(line, "newgame") == 0) {
            puts("version 1.0\nready");
        } else if (strncmp(line, "tries ", 6) == 0) {
            strcpy(tries, line + 6);
        } else if (strcmp(line, "go") == 0) {
            char *words[MOST_TRIES];
            size_t count = 0;
            for (char *word = strtok(tries, " "); word && count < MOST_TRIES; word = strtok(NULL, " "))
                words[count++] = word;
            if (count == 0) return 1;
            printf("try %s\n", words[below(count)]);
        }
        fflush(stdout);
    }
    return 0;
}
