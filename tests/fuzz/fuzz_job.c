/* fuzz_job.c - parses arbitrary bytes as a job: it must be read, or refused with a message. A job
 * that was read is completed and its algorithm is chosen. The bytes are also used as the value of a
 * flag. */
#include "job/job_keys.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void use(hr_job *job) {
    hr_arena arena = {0};
    hr_choice choice;
    hr_error err = {0};
    if (hr_job_complete(job, &err) == HR_OK) (void)hr_job_choose(job, &arena, &choice, &err);
    hr_arena_free(&arena);
}

/* Sets a flag, chosen by the first byte, to the other bytes. */
static void set_flag(hr_job *job, const uint8_t *bytes, size_t length) {
    size_t count = 0;
    while (hr_keyword_at(count))
        count++;
    char *value = hr_copy_text((const char *)bytes + 1, length - 1, NULL);
    hr_error err = {0};
    if (value) (void)hr_job_set(job, hr_keyword_at(bytes[0] % count), value, &err);
    free(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    hr_job *job;
    hr_error err = {0};
    if (hr_job_parse((const char *)bytes, length, "job", "folder", &job, &err) == HR_OK) {
        use(job);
        hr_job_free(job);
    } else if (!err.message[0]) {
        abort(); /* refused without a message */
    }
    if (length == 0 || hr_job_new(&job, &err) != HR_OK) return 0;
    set_flag(job, bytes, length);
    use(job);
    hr_job_free(job);
    return 0;
}
