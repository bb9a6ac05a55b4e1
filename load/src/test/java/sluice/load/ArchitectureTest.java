package sluice.load;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import sluice.gateway.cli.CommandLines;
import sluice.gateway.cli.Tool;

/** Who may know whom: the load job measures a gateway from outside. */
class ArchitectureTest {
  private final JavaClasses load =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("sluice.load");

  @Test
  void shouldKnowOfTheGatewayOnlyHowItFindsAndReadsCommands() {
    noClasses()
        .should()
        .dependOnClassesThat(
            resideInAPackage("sluice.gateway..")
                .and(not(JavaClass.Predicates.belongToAnyOf(Tool.class, CommandLines.class)))
                .or(resideInAPackage("sluice.embedded..")))
        .because("what is measured is a process of its own")
        .check(load);
    classes().that().implement(Tool.class).should().haveSimpleName("LoadTool").check(load);
  }

  @Test
  void shouldHaveNoCyclesBetweenPackages() {
    slices().matching("sluice.(**)").should().beFreeOfCycles().check(load);
  }
}
