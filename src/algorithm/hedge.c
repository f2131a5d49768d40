#define _GNU_SOURCE
#include <math.h>
#include "algorithm/hedge.h"
#include <stdlib.h>
#include <string.h>
#include <stddef.h>

static const hr_option options[] = {
    {"effort", "quick, normal or thorough", HR_OPTION_CHOICE, offsetof(hr_hedge_options, effort), HR_EFFORT_NORMAL, 0, 2, "quick|normal|thorough"},
    {0}};

static hr_status run(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    hr_kinds kinds; hr_value_costs costs; hr_boxes boxes; bool listed; hr_hedge h; hr_stepper s;
    double t0=hr_seconds();
    HR_TRY(hr_kinds_make(task, &kinds, err));
    HR_TRY(hr_value_costs_make(task->data, task->layout, hr_measure_find("ntil"), &costs, err));
    HR_TRY(hr_boxes_make(&kinds, &costs, &boxes, &listed, err));
    double t1=hr_seconds();
    if(task->row_count>2000)fprintf(stderr,"rows %u combos %u kinds %u r %zu values %zu boxes %u pairs %zu  %.3f s\n", task->row_count, kinds.combination_count, kinds.kind_count, kinds.r, kinds.value_start[kinds.r], boxes.count, boxes.inside_start[boxes.count], t1-t0);
    HR_TRY(hr_hedge_init(&h,&kinds,&boxes,err));
    HR_TRY(hr_stepper_init(&s,&h,task->seed,task->stream,err));
    hr_hedge_cover(&s);
    double unit=HR_COST_ONE/6.0, all=(double)task->row_count*6*HR_COST_ONE;
    double t2=hr_seconds();
    for(uint32_t kd=0;kd<kinds.kind_count;kd++) if(h.lot_of_kind[kd]==HR_NONE) {fprintf(stderr,"LEFT\n"); abort();}
    if(task->row_count>2000)fprintf(stderr,"cover %.5f classes %u %.3f s\n", (double)h.loss/all, h.open_count, t2-t1);
    double hot=atof(getenv("HOT")?:"10")*unit, cold=atof(getenv("COLD")?:"0.5")*unit;
    uint64_t steps=(uint64_t)(atof(getenv("STEPS")?:"20")*task->row_count);
    double temperature=hot, factor= exp2(log2(cold/hot)/100);
    for(uint64_t i=0;i<steps;i++){
        if(i%(steps/100+1)==0&&i) temperature*=factor;
        HR_TRY(hr_stepper_step(&s,temperature,err));
        if(task->row_count>2000 && i%(steps/10+1)==0) fprintf(stderr,"%lu T %.2f loss %.5f classes %u %.3f s\n", i, temperature/unit, (double)h.loss/all, h.open_count, hr_seconds()-t2);
    }
    for(uint64_t i=0;i<steps/10;i++) HR_TRY(hr_stepper_step(&s,0,err));
    if(task->row_count>2000)fprintf(stderr,"end loss %.5f classes %u %.3f s\n", (double)h.loss/all, h.open_count, hr_seconds()-t2);
    uint32_t *b=malloc(4*task->row_count);
    hr_hedge_save(&h,b);
    uint32_t *number=malloc(4*boxes.count); memset(number,0xff,4*boxes.count);
    out->count=0;
    for(uint32_t i=0;i<task->row_count;i++){ if(number[b[i]]==HR_NONE) number[b[i]]=out->count++; out->cluster[kinds.place[i]]=number[b[i]]; }
    free(b);free(number);
    hr_stepper_free(&s);hr_hedge_free(&h);hr_boxes_free(&boxes);hr_value_costs_free(&costs);hr_kinds_free(&kinds);
    return hr_progress_add(task->progress, task->row_count, err);
}
const hr_algorithm hr_algorithm_hedge = {
    .name = "hedge", .title = "less loss", .reference = "this project", .options = options, .options_size = sizeof(hr_hedge_options),
    .enforces_p = true, .wants_layout = true, .run = run,
};
