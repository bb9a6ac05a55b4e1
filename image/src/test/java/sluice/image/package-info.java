/**
 * The container image as somebody who has nothing but its file sees it: what is in it, and that it
 * runs where it may write nowhere, also as the pod of the load job. Not here: how it is made, which
 * is build-tools/image.
 */
package sluice.image;
