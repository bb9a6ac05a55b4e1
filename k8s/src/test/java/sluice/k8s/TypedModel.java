package sluice.k8s;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Reads objects into the classes of Kubernetes' Java client, which know names and types of all
 * fields. What they do not know they keep as {@code additionalProperties}; there must be none.
 */
final class TypedModel {
  private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();
  private static final String MODEL = "io.fabric8.kubernetes.api.model";

  private TypedModel() {}

  static List<String> problems(List<Map<String, Object>> objects) {
    List<String> problems = new ArrayList<>();
    for (Map<String, Object> object : objects) {
      if (Manifests.kind(object).equals("PodMonitor")) {
        continue; // a resource of the Prometheus operator: its schema knows it
      }
      try {
        Object typed = SERIALIZATION.unmarshal(SERIALIZATION.asJson(object));
        if (typed instanceof GenericKubernetesResource) {
          problems.add(Manifests.title(object) + ": found a kind that is not known");
        } else {
          walk(typed, Manifests.title(object), problems);
        }
      } catch (IllegalArgumentException | KubernetesClientException e) {
        problems.add(Manifests.title(object) + ": " + e.getMessage());
      }
    }
    return problems;
  }

  private static void walk(Object value, String path, List<String> problems) {
    if (value instanceof Collection<?> elements) {
      int i = 0;
      for (Object element : elements) {
        walk(element, path + "[" + i++ + "]", problems);
      }
    } else if (value instanceof Map<?, ?> entries) {
      entries.forEach((key, entry) -> walk(entry, path + "." + key, problems));
    } else if (value != null
        && value.getClass().getName().startsWith(MODEL)
        && !value.getClass().isEnum()) {
      for (Method getter : value.getClass().getMethods()) {
        if (getter.getName().startsWith("get") && getter.getParameterCount() == 0) {
          property(value, getter, path, problems);
        }
      }
    }
  }

  private static void property(Object value, Method getter, String path, List<String> problems) {
    Object result;
    try {
      result = getter.invoke(value);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(getter.toString(), e);
    }
    if (getter.getName().equals("getAdditionalProperties")) {
      ((Map<?, ?>) result)
          .keySet()
          .forEach(key -> problems.add(path + ": found the unknown field " + key));
    } else if (!getter.getName().equals("getClass")) {
      String name = getter.getName();
      walk(
          result, path + "." + Character.toLowerCase(name.charAt(3)) + name.substring(4), problems);
    }
  }
}
