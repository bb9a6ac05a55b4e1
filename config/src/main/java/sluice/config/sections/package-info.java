/**
 * Descriptions of the file's sections, but for routes: which keys each has, which record it
 * becomes, and where the record has the value of each key. A listener's description also refuses
 * what a listener must not say, whatever the rest of the file says. What sections say of each other
 * is not here.
 */
package sluice.config.sections;
