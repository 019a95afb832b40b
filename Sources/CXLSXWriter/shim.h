#include <dlfcn.h>
#include <stddef.h>
#include <xlsxwriter.h>

// The library is opened when the first workbook is written: linked in, it and the libcrypto that it needs would cost
// every start of the command some 2 ms. Each pointer has the type of the function in the library's own header, and the
// name of the file is that of the version whose header this is.
#define TILL_XLSX_FUNCTIONS(X) \
    X(workbook_new_opt) X(workbook_close) X(lxw_workbook_free) X(workbook_add_worksheet) X(workbook_add_format) X(workbook_add_chart) \
    X(workbook_set_properties) X(worksheet_write_number) X(worksheet_write_string) X(worksheet_write_url_opt) \
    X(worksheet_write_formula_num) X(worksheet_write_blank) X(worksheet_merge_range) X(worksheet_print_area) X(worksheet_set_header) \
    X(worksheet_ignore_errors) X(format_set_top) X(format_set_border) X(format_set_border_color) \
    X(worksheet_set_column) X(worksheet_set_row) X(worksheet_freeze_panes) X(worksheet_autofilter) \
    X(worksheet_set_landscape) X(worksheet_fit_to_pages) X(worksheet_repeat_rows) X(worksheet_set_footer) \
    X(worksheet_gridlines) X(worksheet_insert_chart_opt) X(worksheet_conditional_format_range) X(format_set_bold) \
    X(format_set_num_format) X(format_set_font_color) X(format_set_font_size) X(format_set_bg_color) X(format_set_align) \
    X(format_set_text_wrap) X(format_set_bottom) X(format_set_underline) X(chart_add_series) \
    X(chart_series_set_categories) X(chart_series_set_values) X(chart_series_set_name_range) X(chart_set_series_gap) \
    X(chart_title_set_name) X(chart_axis_set_name) X(chart_axis_set_reverse) \
    X(chart_legend_set_position) X(chart_series_set_fill) \
    X(chart_series_set_line) X(worksheet_set_h_pagebreaks) X(chart_axis_set_num_format) X(lxw_strerror)

struct till_xlsx_functions {
#define TILL_XLSX_FIELD(name) __typeof__(name) *name;
    TILL_XLSX_FUNCTIONS(TILL_XLSX_FIELD)
#undef TILL_XLSX_FIELD
};

/// Fills in the functions of the library; returns what is missing, NULL if nothing is.
static inline const char *till_xlsx_open(struct till_xlsx_functions *functions) {
    void *library = dlopen("libxlsxwriter.so." LXW_SOVERSION, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
#define TILL_XLSX_FIND(name) \
    if (!(functions->name = (__typeof__(name) *)dlsym(library, #name))) return dlerror();
    TILL_XLSX_FUNCTIONS(TILL_XLSX_FIND)
#undef TILL_XLSX_FIND
    return NULL;
}

/// The version of the library that is installed; NULL where there is none.
static inline const char *till_xlsx_version(void) {
    void *library = dlopen("libxlsxwriter.so." LXW_SOVERSION, RTLD_NOW | RTLD_LOCAL);
    if (!library) return NULL;
    __typeof__(lxw_version) *version = (__typeof__(lxw_version) *)dlsym(library, "lxw_version");
    return version ? version() : "unknown";
}
