#include "CWeirPage.h"

// Clang knows it in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char format_js[] = {
#embed "Resources/format.js"
};
static const unsigned char dom_js[] = {
#embed "Resources/dom.js"
};
static const unsigned char columns_js[] = {
#embed "Resources/columns.js"
};
static const unsigned char trace_js[] = {
#embed "Resources/trace.js"
};
static const unsigned char causes_js[] = {
#embed "Resources/causes.js"
};
static const unsigned char selection_js[] = {
#embed "Resources/selection.js"
};
static const unsigned char scale_js[] = {
#embed "Resources/scale.js"
};
static const unsigned char timeline_js[] = {
#embed "Resources/timeline.js"
};
static const unsigned char graph_js[] = {
#embed "Resources/graph.js"
};
static const unsigned char cause_js[] = {
#embed "Resources/cause.js"
};
static const unsigned char state_js[] = {
#embed "Resources/state.js"
};
static const unsigned char differences_js[] = {
#embed "Resources/differences.js"
};
static const unsigned char live_js[] = {
#embed "Resources/live.js"
};
static const unsigned char findings_js[] = {
#embed "Resources/findings.js"
};
static const unsigned char app_js[] = {
#embed "Resources/app.js"
};
static const unsigned char page_css[] = {
#embed "Resources/page.css"
};

#define ENTRY(name, bytes) {name, bytes, sizeof bytes}

// A module stands after those that it imports.
static const weir_page_file modules[] = {
    ENTRY("format", format_js), ENTRY("dom", dom_js), ENTRY("columns", columns_js),
    ENTRY("trace", trace_js), ENTRY("causes", causes_js), ENTRY("selection", selection_js),
    ENTRY("scale", scale_js), ENTRY("timeline", timeline_js), ENTRY("graph", graph_js),
    ENTRY("cause", cause_js), ENTRY("state", state_js), ENTRY("differences", differences_js),
    ENTRY("live", live_js), ENTRY("findings", findings_js), ENTRY("app", app_js),
};

size_t weir_page_module_count(void) { return sizeof modules / sizeof *modules; }
weir_page_file weir_page_module(size_t index) { return modules[index]; }
weir_page_file weir_page_style(void) { return (weir_page_file)ENTRY("page", page_css); }
