# Compiler checks of spytop's configure.ac.

# SPYTOP_TRY_CFLAG(FLAG, IF-ACCEPTED, IF-NOT): does the compiler take the option
# without as much as a warning?
AC_DEFUN([SPYTOP_TRY_CFLAG], [
    spytop_saved_cflags=$CFLAGS
    CFLAGS="$CFLAGS -Werror $1"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
        [CFLAGS=$spytop_saved_cflags
         $2],
        [CFLAGS=$spytop_saved_cflags
         $3])
])

# SPYTOP_CFLAGS(VARIABLE, FLAGS): those of the flags that the compiler takes.
AC_DEFUN([SPYTOP_CFLAGS], [
    $1=
    AC_MSG_CHECKING([which warnings $CC knows])
    for spytop_flag in m4_normalize([$2]); do
        SPYTOP_TRY_CFLAG([$spytop_flag], [$1="$$1 $spytop_flag"])
    done
    AC_MSG_RESULT([$$1])
    AC_SUBST([$1])
])

# SPYTOP_REQUIRE_CFLAGS(FLAGS): compile and link with them, or give up.
AC_DEFUN([SPYTOP_REQUIRE_CFLAGS], [
    AC_MSG_CHECKING([whether $CC takes $1])
    spytop_saved_cflags=$CFLAGS
    CFLAGS="$CFLAGS $1"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([this build needs a compiler that takes $1])])
    CFLAGS=$spytop_saved_cflags
])

# C17 with the compiler's extensions, in STD_CFLAGS.
AC_DEFUN([SPYTOP_C17], [
    AC_MSG_CHECKING([for C17])
    STD_CFLAGS=
    for spytop_flag in -std=gnu17 -std=gnu18 -std=gnu11; do
        AS_IF([test -z "$STD_CFLAGS"],
            [SPYTOP_TRY_CFLAG([$spytop_flag], [STD_CFLAGS=$spytop_flag])])
    done
    AS_IF([test -z "$STD_CFLAGS"],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([$CC is too old: spytop needs a C17 compiler])])
    AC_MSG_RESULT([$STD_CFLAGS])
    AC_SUBST([STD_CFLAGS])
])

# POSIX threads: -pthread to compile and to link, in PTHREAD_CFLAGS.
AC_DEFUN([SPYTOP_PTHREAD], [
    AC_MSG_CHECKING([for POSIX threads])
    spytop_saved_cflags=$CFLAGS
    PTHREAD_CFLAGS=
    CFLAGS="$CFLAGS -pthread"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <pthread.h>
static void *run(void *p) { return p; }]],
            [[pthread_t t; return pthread_create(&t, 0, run, 0);]])],
        [PTHREAD_CFLAGS=-pthread
         AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([POSIX threads are needed])])
    CFLAGS=$spytop_saved_cflags
    AC_SUBST([PTHREAD_CFLAGS])
])
