#include "base/utf8.h"

#include <string.h>

int utf8_decode(const char *p, const char *end, int32_t *code)
{
    const unsigned char *s = (const unsigned char *)p;
    size_t left = (size_t)(end - p);
    unsigned c = s[0];
    int need;
    uint32_t value, least;
    if (c < 0x80) {
        *code = (int32_t)c;
        return 1;
    }
    if (c >= 0xC2 && c <= 0xDF) {
        need = 1, value = c & 0x1F, least = 0x80;
    } else if (c >= 0xE0 && c <= 0xEF) {
        need = 2, value = c & 0x0F, least = 0x800;
    } else if (c >= 0xF0 && c <= 0xF4) {
        need = 3, value = c & 0x07, least = 0x10000;
    } else {
        *code = -1;
        return 1;
    }
    if (left < (size_t)need + 1) {
        *code = -1;
        return 1;
    }
    for (int i = 1; i <= need; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            *code = -1;
            return 1;
        }
        value = value << 6 | (s[i] & 0x3Fu);
    }
    if (value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
        *code = -1;
        return 1;
    }
    *code = (int32_t)value;
    return need + 1;
}

int utf8_encode(uint32_t code, char out[4])
{
    unsigned char *o = (unsigned char *)out;
    if (code < 0x80) {
        o[0] = (unsigned char)code;
        return 1;
    }
    if (code < 0x800) {
        o[0] = (unsigned char)(0xC0 | code >> 6);
        o[1] = (unsigned char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        o[0] = (unsigned char)(0xE0 | code >> 12);
        o[1] = (unsigned char)(0x80 | (code >> 6 & 0x3F));
        o[2] = (unsigned char)(0x80 | (code & 0x3F));
        return 3;
    }
    o[0] = (unsigned char)(0xF0 | (code >> 18 & 0x07));
    o[1] = (unsigned char)(0x80 | (code >> 12 & 0x3F));
    o[2] = (unsigned char)(0x80 | (code >> 6 & 0x3F));
    o[3] = (unsigned char)(0x80 | (code & 0x3F));
    return 4;
}

bool utf8_valid(const char *p, size_t len)
{
    const char *end = p + len;
    while (p < end) {
        int32_t code;
        p += utf8_decode(p, end, &code);
        if (code < 0)
            return false;
    }
    return true;
}

struct range {
    uint32_t first, last;
};

static bool in_ranges(uint32_t code, const struct range *ranges, size_t count)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (code > ranges[mid].last)
            low = mid + 1;
        else if (code < ranges[mid].first)
            high = mid;
        else
            return true;
    }
    return false;
}

/* Combining marks and other characters without a column of their own: the
 * blocks that occur in practice (Unicode general categories Mn and Me). */
static const struct range zero_width[] = {
    {0x0300, 0x036F},   {0x0483, 0x0489},   {0x0591, 0x05BD}, {0x05BF, 0x05BF}, {0x05C1, 0x05C2},
    {0x05C4, 0x05C5},   {0x05C7, 0x05C7},   {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0670, 0x0670},
    {0x06D6, 0x06DC},   {0x06DF, 0x06E4},   {0x06E7, 0x06E8}, {0x06EA, 0x06ED}, {0x0711, 0x0711},
    {0x0730, 0x074A},   {0x0900, 0x0902},   {0x093A, 0x093A}, {0x093C, 0x093C}, {0x0941, 0x0948},
    {0x094D, 0x094D},   {0x0951, 0x0957},   {0x0962, 0x0963}, {0x0981, 0x0981}, {0x09BC, 0x09BC},
    {0x09C1, 0x09C4},   {0x09CD, 0x09CD},   {0x0A01, 0x0A02}, {0x0A3C, 0x0A51}, {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E},   {0x0EB1, 0x0EB1}, {0x0EB4, 0x0EBC}, {0x0EC8, 0x0ECE},
    {0x0F71, 0x0F84},   {0x1160, 0x11FF},   {0x135D, 0x135F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x20D0, 0x20F0},   {0x302A, 0x302D},   {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
    {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF},
};

/* East Asian wide and fullwidth, and emoji that terminals draw two wide. */
static const struct range wide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
    {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x18AFF}, {0x1B000, 0x1B2FF},
    {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A},
    {0x1F200, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393},
    {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4},
    {0x1F3F8, 0x1F3FA}, {0x1F400, 0x1F43E}, {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC},
    {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A},
    {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5},
    {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EC},
    {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945},
    {0x1F947, 0x1FAFF}, {0x20000, 0x3FFFD},
};

/* Characters that change how others are shown or that nobody can see:
 * bidirectional controls (UAX #9), joiners, separators, byte order mark, tags. */
static const struct range invisible[] = {
    {0x00AD, 0x00AD}, {0x061C, 0x061C},   {0x070F, 0x070F}, {0x115F, 0x1160}, {0x17B4, 0x17B5},
    {0x180B, 0x180F}, {0x200B, 0x200F},   {0x2028, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},
    {0xD800, 0xDFFF}, {0xFDD0, 0xFDEF},   {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB},
    {0xFFFE, 0xFFFF}, {0xE0000, 0xE007F},
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

int utf8_width(uint32_t code)
{
    if (code < 0x300)
        return 1;
    if (in_ranges(code, zero_width, COUNT(zero_width)))
        return 0;
    return in_ranges(code, wide, COUNT(wide)) ? 2 : 1;
}

uint32_t utf8_visible(int32_t code)
{
    if (code < 0)
        return 0xFFFD;
    uint32_t c = (uint32_t)code;
    if (c < 0x20)
        return 0x2400 + c;
    if (c < 0x7F)
        return c;
    if (c == 0x7F)
        return 0x2421;
    if (c < 0xA0 || c > 0x10FFFF || (c & 0xFFFE) == 0xFFFE ||
        in_ranges(c, invisible, COUNT(invisible)))
        return 0xFFFD;
    return c;
}

size_t utf8_make_safe(char *out, size_t size, const char *text, size_t len)
{
    if (len == UTF8_NUL_TERMINATED)
        len = strlen(text);
    const char *end = text + len;
    size_t used = 0;
    while (text < end && size > 0) {
        int32_t code;
        char bytes[4];
        text += utf8_decode(text, end, &code);
        size_t n = (size_t)utf8_encode(utf8_visible(code), bytes);
        if (used + n + 1 > size)
            break;
        memcpy(out + used, bytes, n);
        used += n;
    }
    if (size > 0)
        out[used] = '\0';
    return used;
}

size_t utf8_columns(const char *text, size_t len)
{
    const char *end = text + len;
    size_t columns = 0;
    while (text < end) {
        int32_t code;
        text += utf8_decode(text, end, &code);
        columns += (size_t)utf8_width(utf8_visible(code));
    }
    return columns;
}
