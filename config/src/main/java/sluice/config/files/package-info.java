/** Files that the configuration names, read once: certificates, keys, users and passwords. */
package sluice.config.files;
