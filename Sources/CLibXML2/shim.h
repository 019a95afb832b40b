// Without ICU, whose declarations contradict those of the ICU that Foundation brings. What they describe here, the
// last members of an encoding handler, is used by nothing in Swift.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <dlfcn.h>
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>
#include <stddef.h>

// The library is opened when the first XML document is read: with ICU, which it needs, it would cost every start of the
// command 1.5 ms. Each pointer has the type of the function in the library's own header, and the name of the file is that
// of the version whose header this is.
#define TILL_XML_FUNCTIONS(X) \
    X(xmlInitParser) X(xmlReaderForMemory) X(xmlFreeTextReader) X(xmlResetLastError) X(xmlGetLastError) X(xmlGetLineNo) \
    X(xmlTextReaderRead) X(xmlTextReaderNodeType) X(xmlTextReaderIsEmptyElement) X(xmlTextReaderConstName) \
    X(xmlTextReaderConstLocalName) X(xmlTextReaderConstNamespaceUri) X(xmlTextReaderConstValue) \
    X(xmlTextReaderMoveToNextAttribute) X(xmlTextReaderMoveToElement) X(xmlTextReaderCurrentNode) \
    X(xmlTextReaderGetParserLineNumber)

struct till_xml_functions {
#define TILL_XML_FIELD(name) __typeof__(name) *name;
    TILL_XML_FUNCTIONS(TILL_XML_FIELD)
#undef TILL_XML_FIELD
};

#if LIBXML_VERSION >= 21400
#define TILL_XML_FILE "libxml2.so.16"
#else
#define TILL_XML_FILE "libxml2.so.2"
#endif

/// Fills in the functions of the library and makes the tables of its parser, which are never freed; returns what is
/// missing, NULL if nothing is.
static inline const char *till_xml_open(struct till_xml_functions *functions) {
    void *library = dlopen(TILL_XML_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
#define TILL_XML_FIND(name) \
    if (!(functions->name = (__typeof__(name) *)dlsym(library, #name))) return dlerror();
    TILL_XML_FUNCTIONS(TILL_XML_FIND)
#undef TILL_XML_FIND
    functions->xmlInitParser();
    return NULL;
}

/// The version of the library that is installed, such as "20914"; NULL where there is none.
static inline const char *till_xml_version(void) {
    void *library = dlopen(TILL_XML_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!library) return NULL;
    const char *const *version = (const char *const *)dlsym(library, "xmlParserVersion");
    return version ? *version : "unknown";
}
