/**
 * What the manifests must hold without a cluster: fields and types ({@link sluice.k8s.TypedModel},
 * {@link sluice.k8s.Schemas}), what belongs together ({@link sluice.k8s.References}), how pods
 * behave ({@link sluice.k8s.Pods}), what the gateway in them is told ({@link
 * sluice.k8s.Configurations}) and how it is measured ({@link sluice.k8s.LoadJobs}). Each tells
 * problems in words; {@link sluice.k8s.MutationTest} shows that each can.
 */
package sluice.k8s;
