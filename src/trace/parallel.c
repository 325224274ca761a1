#include "trace/parallel.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"

/* Pieces small enough that those in work need little memory, large enough that
 * their ends, which are scanned twice, do not count. */
enum { DEFAULT_CHUNK = 1 << 20, WINDOW_BLOCK = 64 << 10 };

enum chunk_state { CHUNK_FREE, CHUNK_READ, CHUNK_IN_WORK, CHUNK_SCANNED };

struct chunk {
    enum chunk_state state;
    char *text;
    size_t len;
    uint64_t base, consumed;
    struct builder builder; /* what the run holds; of a CHUNK_SCANNED only */
    struct run run;
    bool has_run; /* found and not yet taken */
};

/* Chunks are numbered; number n lies in slot n % slot_count. The reader fills number
 * `next_read`, the scanning threads take `next_scan`, the scanner proper is done
 * with all before `oldest`. */
struct parallel {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct input *in;
    struct chunk *slots;
    size_t slot_count, chunk_size;
    uint64_t next_read, next_scan, oldest;
    bool end; /* the text ends before chunk next_read */
    bool stop;
    pthread_t *threads; /* the last one reads */
    unsigned thread_count;

    /* Used by the thread of the scanner proper only. */
    struct builder *builder;
    struct scan_source source;
    struct run_supply runs;
    uint64_t position; /* of the next byte that read() delivers */
    uint64_t found;    /* the chunk of the run that find() found */
    uint64_t consumed;
};

static struct chunk *slot_of(const struct parallel *p, uint64_t number)
{
    return &p->slots[number % p->slot_count];
}

static void *read_chunks(void *context)
{
    struct parallel *p = context;
    uint64_t base = 0;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        if (p->next_read - p->oldest == p->slot_count) {
            pthread_cond_wait(&p->changed, &p->lock);
            continue;
        }
        struct chunk *c = slot_of(p, p->next_read);
        pthread_mutex_unlock(&p->lock);
        c->base = base;
        c->len = 0;
        size_t got = 1;
        while (c->len < p->chunk_size && got > 0) {
            got = input_read(p->in, c->text + c->len, p->chunk_size - c->len);
            c->len += got;
        }
        memset(c->text + c->len, 0, SCAN_PADDING);
        c->consumed = input_consumed(p->in);
        base += c->len;
        pthread_mutex_lock(&p->lock);
        if (c->len > 0) {
            c->state = CHUNK_READ;
            p->next_read++;
        }
        p->end = got == 0;
        pthread_cond_broadcast(&p->changed);
        if (p->end)
            break;
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void on_event(void *context, const struct event *ev, uint64_t byte)
{
    builder_event(context, ev, byte);
}

static void on_damage(void *context, enum damage_kind kind, uint64_t byte)
{
    struct builder *b = context;
    damage_add(&b->t->damage, kind, b->file, byte);
}

static void scan_chunk(const struct parallel *p, struct chunk *c)
{
    struct scan_sink sink = {.context = &c->builder, .event = on_event, .damage = on_damage};
    builder_init(&c->builder);
    c->builder.file = p->builder->file;
    c->has_run = scan_run(c->text, c->text + c->len, c->base, &sink, &c->run);
    if (!c->has_run)
        builder_discard(&c->builder);
}

static void *scan_chunks(void *context)
{
    struct parallel *p = context;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        if (p->next_scan < p->next_read) {
            struct chunk *c = slot_of(p, p->next_scan++);
            c->state = CHUNK_IN_WORK;
            pthread_mutex_unlock(&p->lock);
            scan_chunk(p, c);
            pthread_mutex_lock(&p->lock);
            c->state = CHUNK_SCANNED;
            pthread_cond_broadcast(&p->changed);
        } else if (p->end) {
            break;
        } else {
            pthread_cond_wait(&p->changed, &p->lock);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Waits until a chunk is there, and scanned if asked for; NULL if the text ends
 * before it. Called with the lock held. */
static struct chunk *wait_for(struct parallel *p, uint64_t number, bool scanned)
{
    struct chunk *c = slot_of(p, number);
    for (;;) {
        if (number < p->next_read && (!scanned || c->state == CHUNK_SCANNED))
            return c;
        if (number >= p->next_read && p->end)
            return NULL;
        pthread_cond_wait(&p->changed, &p->lock);
    }
}

/* Gives the oldest chunk's slot back to the reader. Called with the lock held. */
static void release_oldest(struct parallel *p)
{
    struct chunk *c = wait_for(p, p->oldest, true);
    if (c->has_run)
        builder_discard(&c->builder);
    c->has_run = false;
    c->state = CHUNK_FREE;
    p->oldest++;
    pthread_cond_broadcast(&p->changed);
}

/* The chunk that holds a byte, NULL behind the end of the text. Called with the
 * lock held. */
static struct chunk *chunk_at(struct parallel *p, uint64_t byte, bool scanned, uint64_t *number)
{
    /* All chunks but the last are full. */
    *number = byte / p->chunk_size;
    while (*number >= p->oldest + p->slot_count)
        release_oldest(p); /* a value longer than all slots: no run begins in it */
    struct chunk *c = wait_for(p, *number, scanned);
    return c && byte < c->base + c->len ? c : NULL;
}

static size_t read_text(void *context, void *buffer, size_t size)
{
    struct parallel *p = context;
    uint64_t number;
    pthread_mutex_lock(&p->lock);
    const struct chunk *c = chunk_at(p, p->position, false, &number);
    pthread_mutex_unlock(&p->lock);
    if (!c)
        return 0;
    size_t at = (size_t)(p->position - c->base), left = c->len - at;
    if (size > left)
        size = left;
    memcpy(buffer, c->text + at, size);
    p->position += size;
    p->consumed = c->consumed;
    return size;
}

static uint64_t run_byte(const struct chunk *c, const char *at)
{
    return c->base + (uint64_t)(at - c->text);
}

static bool find_run(void *context, uint64_t byte, uint64_t *until)
{
    struct parallel *p = context;
    pthread_mutex_lock(&p->lock);
    while ((p->oldest + 1) * p->chunk_size <= byte && p->oldest < p->next_read)
        release_oldest(p);
    const struct chunk *c =
        byte / p->chunk_size < p->oldest ? NULL : chunk_at(p, byte, true, &p->found);
    *until = c ? c->base + c->len : (byte / p->chunk_size + 1) * p->chunk_size;
    bool found = false;
    if (c && c->has_run && run_byte(c, c->run.start) >= byte) {
        *until = run_byte(c, c->run.start);
        found = *until == byte;
    }
    pthread_mutex_unlock(&p->lock);
    return found;
}

static uint64_t take_run(void *context, uint64_t *events)
{
    struct parallel *p = context;
    struct chunk *c = slot_of(p, p->found);
    builder_merge(p->builder, &c->builder);
    builder_discard(&c->builder);
    c->has_run = false;
    *events = c->run.events;
    uint64_t end = run_byte(c, c->run.end);
    if (p->position < end)
        p->position = end;
    p->consumed = c->consumed;
    return end;
}

static bool start_thread(struct parallel *p, void *(*work)(void *))
{
    if (pthread_create(&p->threads[p->thread_count], NULL, work, p) != 0)
        return false;
    p->thread_count++;
    return true;
}

struct parallel *parallel_start(struct input *in, struct builder *builder, unsigned threads,
                                size_t chunk)
{
    struct parallel *p = xcalloc(1, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->in = in;
    p->builder = builder;
    p->chunk_size = chunk ? chunk : DEFAULT_CHUNK;
    p->slot_count = (size_t)threads * 2 + 2;
    p->slots = xcalloc(p->slot_count, sizeof *p->slots);
    for (size_t i = 0; i < p->slot_count; i++)
        p->slots[i].text = xmalloc(p->chunk_size + SCAN_PADDING);
    p->runs = (struct run_supply){.context = p, .find = find_run, .take = take_run};
    p->source = (struct scan_source){
        .read = read_text, .context = p, .block = WINDOW_BLOCK, .runs = &p->runs};
    p->threads = xcalloc((size_t)threads + 1, sizeof *p->threads);
    /* The reader comes last: until it runs the input is untouched. */
    bool reading = false;
    while (p->thread_count < threads && start_thread(p, scan_chunks))
        continue;
    if (p->thread_count > 0)
        reading = start_thread(p, read_chunks);
    if (reading)
        return p;
    parallel_end(p);
    return NULL;
}

const struct scan_source *parallel_source(const struct parallel *p)
{
    return &p->source;
}

uint64_t parallel_consumed(const struct parallel *p)
{
    return p->consumed;
}

void parallel_end(struct parallel *p)
{
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->thread_count; i++)
        pthread_join(p->threads[i], NULL);
    for (size_t i = 0; i < p->slot_count; i++) {
        if (p->slots[i].has_run)
            builder_discard(&p->slots[i].builder);
        free(p->slots[i].text);
    }
    free(p->slots);
    free(p->threads);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
