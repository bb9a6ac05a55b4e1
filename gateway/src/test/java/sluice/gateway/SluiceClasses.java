package sluice.gateway;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.ref.WeakReference;

/**
 * All classes of the product, as ArchUnit reads them. They take about 170 MB, which every
 * collection after a later test would have to walk through: only the class that uses them keeps
 * them.
 */
final class SluiceClasses {
  private static WeakReference<JavaClasses> last = new WeakReference<>(null);

  private SluiceClasses() {}

  static synchronized JavaClasses get() {
    JavaClasses classes = last.get();
    if (classes == null) {
      classes =
          new ClassFileImporter()
              .withImportOption(new ImportOption.DoNotIncludeTests())
              .withImportOption(location -> !location.contains("-tests.jar")) // of other modules
              .withImportOption(location -> !location.contains("testkit"))
              .importPackages("sluice");
      last = new WeakReference<>(classes);
    }
    return classes;
  }
}
