package sluice.gateway;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.ref.SoftReference;

/**
 * All classes of the product, as ArchUnit reads them. They take about 170 MB, which the JVM may
 * have back for the tests that follow.
 */
final class SluiceClasses {
  private static SoftReference<JavaClasses> last = new SoftReference<>(null);

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
      last = new SoftReference<>(classes);
    }
    return classes;
  }
}
