#include "view/view.h"

void links_prepare(struct viewer *v)
{
    struct error err = {0};
    if (v->links_ready)
        return;
    v->launches = launches_build(v->t, v->ix);
    v->iterations = iterations_find(v->t, v->ix, v->launches, v->setup.iteration_pattern, &err);
    if (!v->iterations) /* the pattern was checked before; then without it */
        v->iterations = iterations_find(v->t, v->ix, v->launches, NULL, &err);
    /* Nested families (a step around each iteration) are walked one at a time. */
    if (v->family == TRACE_NONE && v->iterations->family_count > 0)
        v->family = 0;
    v->links_ready = true;
}
