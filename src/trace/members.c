#include "trace/members.h"

#include "base/memory.h"
#include "scan/number.h"

/* A hostile file must not fill the memory with members. */
enum { MEMBERS_MAX = 100000 };

static bool starts_with(const struct token *token, const char *text)
{
    size_t len = strlen(text);
    return (token->type == TOKEN_STRING || token->type == TOKEN_ESCAPED) && token->len >= len &&
           memcmp(token->p, text, len) == 0;
}

static void take_rank(struct trace_file *file, const struct token *info)
{
    struct token rank = object_member(info, "rank");
    int64_t number;
    if (rank.type == TOKEN_NUMBER && number_integer(rank.p, rank.len, &number) == NUMBER_OK)
        file->rank = number;
}

void member_add(struct trace *t, struct trace_file *file, const struct token *key,
                const struct token *value, uint64_t key_byte, uint64_t byte)
{
    if (file->member_count == MEMBERS_MAX)
        return;
    struct text decoded = {0};
    token_decode(key, &decoded);
    bool quoted = value->type == TOKEN_STRING || value->type == TOKEN_ESCAPED;
    struct top_member member = {
        .key = xstrndup(decoded.len ? decoded.data : "", decoded.len),
        .byte = byte,
        .len = (uint64_t)value->len + 2 * quoted,
        .key_byte = key_byte,
        .key_len = (uint64_t)key->len + 2,
    };
    text_free(&decoded);
    ARRAY_PUSH(file->members, file->member_count, file->member_capacity, member);

    if (token_is(key, "baseTimeNanoseconds")) {
        if (number_integer(value->p, value->len, &file->base_time_ns) == NUMBER_OK)
            file->has_base_time = true;
    } else if (token_is(key, "distributedInfo")) {
        take_rank(file, value);
    } else if (token_is(key, "otherData")) {
        struct token application = object_member(value, "Application");
        if (starts_with(&application, "Acelyzer"))
            t->processed_by_acelyzer = true;
    }
}
