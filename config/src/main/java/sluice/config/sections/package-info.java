/**
 * Descriptions of the file's sections, except routes. Each lists the section's keys, the record it
 * becomes, and the record's value for each key. A listener's description also checks what depends
 * on the listener alone. Checks between sections are not here.
 */
@NullMarked
package sluice.config.sections;

import org.jspecify.annotations.NullMarked;
