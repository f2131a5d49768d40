/* memory.c - all allocation goes through here: sizes are checked for overflow, a failure becomes an
 * error that names the amount, and a test build can make any single allocation fail. */
#define _DEFAULT_SOURCE /* mmap without a file, madvise */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#ifdef HR_FAULT
static atomic_long fail_at;

void hr_memory_fail_at(long nth) {
    atomic_store(&fail_at, nth);
}

static bool must_fail(void) {
    return atomic_load(&fail_at) > 0 && atomic_fetch_sub(&fail_at, 1) == 1;
}
#else
void hr_memory_fail_at(long nth) {
    (void)nth;
}

static bool must_fail(void) {
    return false;
}
#endif

static void *out_of_memory(size_t count, size_t size, hr_error *err) {
    (void)hr_fail(err, HR_ENOMEM, "out of memory: %.1f MB more were needed",
                  (double)count * (double)size / 1e6);
    return NULL;
}

void *hr_alloc(size_t count, size_t size, hr_error *err) {
    if (must_fail()) return out_of_memory(count, size, err);
    void *memory = calloc(count ? count : 1, size);
    return memory ? memory : out_of_memory(count, size, err);
}

void *hr_alloc_raw(size_t count, size_t size, hr_error *err) {
    if (must_fail() || (count && size > SIZE_MAX / count)) return out_of_memory(count, size, err);
    void *memory = malloc(count ? count * size : 1);
    return memory ? memory : out_of_memory(count, size, err);
}

void hr_free(void *memory) {
    free(memory);
}

hr_status hr_grow(void *array, size_t *capacity, size_t needed, size_t size, hr_error *err) {
    if (needed <= *capacity) return HR_OK;
    size_t room = *capacity + *capacity / 2;
    if (room < needed) room = needed;
    if (room < 16) room = 16;
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = must_fail() || room > SIZE_MAX / size ? NULL : realloc(old, room * size);
    if (!grown) {
        out_of_memory(room, size, err);
        return HR_ENOMEM;
    }
    memcpy(array, &grown, sizeof grown);
    *capacity = room;
    return HR_OK;
}

char *hr_copy_text(const char *text, size_t length, hr_error *err) {
    char *copy = hr_alloc_raw(length + 1, 1, err);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

struct hr_arena_block {
    hr_arena_block *next;
    size_t used, size;
    size_t mapped; /* bytes mapped with mmap; 0: the block comes from hr_alloc */
    max_align_t bytes[];
};

enum { ARENA_BLOCK = 1 << 16, LARGE_BLOCK = 1 << 22 };

/* Large blocks are accessed at distant places, so address translation misses are frequent; huge
 * pages, where the system has them, avoid most of these. Mapped memory is zero. */
static hr_arena_block *new_block(size_t room, hr_error *err) {
#ifdef __linux__
    if (room >= LARGE_BLOCK && !must_fail()) {
        size_t bytes = sizeof(hr_arena_block) + room;
        void *memory =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory != MAP_FAILED) {
            hr_arena_block *block = memory;
            madvise(memory, bytes, MADV_HUGEPAGE); /* advice only: a failure does not matter */
            block->mapped = bytes;
            return block;
        }
    }
#endif
    return hr_alloc(1, sizeof(hr_arena_block) + room, err);
}

static void free_block(hr_arena_block *block) {
#ifdef __linux__
    if (block->mapped) {
        munmap(block, block->mapped);
        return;
    }
#endif
    free(block);
}

void *hr_arena_alloc(hr_arena *arena, size_t count, size_t size, hr_error *err) {
    if (count && size > (SIZE_MAX - sizeof(hr_arena_block) - ARENA_BLOCK) / count)
        return out_of_memory(count, size, err);
    size_t unit = sizeof(max_align_t);
    size_t needed = (count * size + unit - 1) / unit * unit;
    hr_arena_block *block = arena->head;
    if (!block || block->size - block->used < needed) {
        size_t room = needed > ARENA_BLOCK ? needed : ARENA_BLOCK;
        block = new_block(room, err);
        if (!block) return NULL;
        block->size = room;
        block->next = arena->head;
        arena->head = block;
    }
    void *memory = (char *)block->bytes + block->used;
    block->used += needed;
    return memory;
}

hr_status hr_arena_parts(hr_arena *arena, const hr_arena_part *parts, size_t count, hr_error *err) {
    for (size_t i = 0; i < count; i++) {
        void *memory = hr_arena_alloc(arena, parts[i].count, parts[i].size, err);
        if (!memory) return HR_ENOMEM;
        memcpy(parts[i].place, &memory, sizeof memory);
    }
    return HR_OK;
}

char *hr_arena_text(hr_arena *arena, const char *text, size_t length, hr_error *err) {
    char *copy = hr_arena_alloc(arena, length + 1, 1, err);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

void hr_arena_free(hr_arena *arena) {
    while (arena->head) {
        hr_arena_block *next = arena->head->next;
        free_block(arena->head);
        arena->head = next;
    }
}
