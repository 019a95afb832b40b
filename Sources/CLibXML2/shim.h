// Without ICU, whose declarations contradict those of the ICU that Foundation brings. What they describe here, the
// last members of an encoding handler, is used by nothing in Swift.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>
