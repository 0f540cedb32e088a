/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzzer's entry point over saved inputs (files or folders), so any compiler can replay
 * a corpus: prints one TAP line per input; a crash or a sanitizer report ends the program. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int inputs;

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    uint8_t *data;
    size_t size;

    if (!f || fstat(fileno(f), &st) < 0) {
        perror(path);
        if (f)
            fclose(f);
        return -1;
    }
    /* Exactly as large as the input, so that reading one byte too far is seen. */
    data = malloc(st.st_size ? (size_t)st.st_size : 1);
    if (!data) {
        fclose(f);
        return -1;
    }
    size = fread(data, 1, (size_t)st.st_size, f);
    fclose(f);

    /* Named before it runs: after a crash the last line tells the culprit. */
    fprintf(stderr, "# %s\n", path);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    printf("ok %d - %s\n", ++inputs, path);
    return 0;
}

static int run_folder(const char *path)
{
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort), r = 0;

    if (n < 0) {
        perror(path);
        return -1;
    }
    for (int i = 0; i < n; i++) {
        char file[4096];

        if (names[i]->d_name[0] != '.') {
            int len = snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);

            if (len < 0 || (size_t)len >= sizeof(file) || run_file(file) < 0)
                r = -1;
        }
        free(names[i]);
    }
    free(names);
    return r;
}

int main(int argc, char **argv)
{
    int r = 0;

    for (int i = 1; i < argc; i++) {
        struct stat st;

        if (stat(argv[i], &st) < 0) {
            perror(argv[i]);
            r = -1;
        } else if ((S_ISDIR(st.st_mode) ? run_folder(argv[i]) : run_file(argv[i])) < 0) {
            r = -1;
        }
    }
    if (inputs == 0) {
        fprintf(stderr, "no inputs\n");
        return 1;
    }
    return r < 0 ? 1 : 0;
}
