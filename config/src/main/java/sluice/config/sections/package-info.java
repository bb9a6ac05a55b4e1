/**
 * Descriptions of the file's sections, but for routes: which keys each has, which record it
 * becomes, and where the record has the value of each key. What keys say of each other is not here.
 */
package sluice.config.sections;
