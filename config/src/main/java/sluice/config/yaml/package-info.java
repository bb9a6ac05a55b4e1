/**
 * Files as trees with places, and trees as text: UTF-8, YAML, JSON, and references to the
 * environment and to other files.
 */
@NullMarked
package sluice.config.yaml;

import org.jspecify.annotations.NullMarked;
