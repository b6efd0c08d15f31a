/* Validate the arguments as URIs, and show their hosts. */

#include <stdio.h>
#include <string.h>

#include "uri.h"

int main(int count, char **arguments) {
    int status = 0;
    for (int i = 1; i < count; i++) {
        const char *text = arguments[i];
        size_t length = strlen(text);
        uri_span parts[URI_PARTS];
        if (uri_parts(text, length, parts)) {
            uri_span host = parts[URI_PART_HOST];
            if (host.start < 0) printf("%s: valid, without a host\n", text);
            else printf("%s: valid, host %.*s\n", text, (int)(host.end - host.start), text + host.start);
        } else {
            uri_result result = uri_check(text, length);
            printf("%s: invalid at byte %zu; expected %s\n", text, result.offset, result.expected);
            status = 1;
        }
    }
    return status;
}
