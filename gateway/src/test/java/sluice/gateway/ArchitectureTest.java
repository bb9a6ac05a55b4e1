package sluice.gateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import sluice.names.build.AllowedHere;

/** Who may know whom: codecs knows bytes only, config the file only, gateway joins them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTest {
  private static final Class<?>[] ADDRESSES = {
    InetAddress.class, InetSocketAddress.class, UnknownHostException.class
  };

  private final JavaClasses sluice = SluiceClasses.get();

  @Test
  void shouldSeeTheClassesOfAllModules() {
    for (String name :
        new String[] {
          "sluice.names.Command",
          "sluice.codecs.memcached.text.TextLine",
          "sluice.config.Loader",
          "sluice.embedded.EmbeddedStore",
          "sluice.gateway.route.Route",
          "sluice.gateway.net.Sockets"
        }) {
      assertThat(sluice.contain(name)).as(name).isTrue();
    }
  }

  @Test
  void shouldKeepCodecsToBytes() {
    noClasses()
        .that()
        .resideInAPackage("sluice.codecs..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("sluice.gateway..", "sluice.config..", "io.vertx..", "org.slf4j..")
        .check(sluice);
    noClasses()
        .that()
        .resideInAPackage("sluice.codecs..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.netty.channel..", "io.netty.handler..", "java.util.concurrent..")
        .because("codecs has no sockets and no threads")
        .check(sluice);
    noClasses()
        .that()
        .resideInAPackage("sluice.codecs..")
        .should()
        .dependOnClassesThat(
            JavaClass.Predicates.resideInAPackage("java.net..")
                .and(DescribedPredicate.not(JavaClass.Predicates.belongToAnyOf(ADDRESSES))))
        .because("addresses are values, sockets are not")
        .check(sluice);
  }

  @Test
  void shouldKeepConfigToTheFile() {
    noClasses()
        .that()
        .resideInAPackage("sluice.config..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.netty..", "io.vertx..", "sluice.codecs..", "sluice.gateway..")
        .check(sluice);
  }

  @Test
  void shouldKeepTheInsideOfConfigToItself() {
    noClasses()
        .that()
        .resideOutsideOfPackage("sluice.config..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "sluice.config.yaml..",
            "sluice.config.schema..",
            "sluice.config.files..",
            "sluice.config.sections..",
            "sluice.config.routing..",
            "sluice.config.rules..")
        .because("its classes are public for the packages of config alone")
        .check(sluice);
    noClasses()
        .that()
        .resideInAnyPackage("sluice.config.model..", "sluice.config.problems..")
        .should()
        .dependOnClassesThat(
            JavaClass.Predicates.resideInAPackage("sluice.config..")
                .and(
                    DescribedPredicate.not(
                        JavaClass.Predicates.resideInAnyPackage(
                            "sluice.config.model..", "sluice.config.problems.."))))
        .because("records do not know who makes them")
        .check(sluice);
  }

  @Test
  void shouldUseTheInternalsOfVertxInOnePackage() {
    noClasses()
        .that()
        .resideOutsideOfPackage("sluice.gateway.net..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.vertx.core.internal..")
        .check(sluice);
  }

  @Test
  void shouldUseNoImplementationOfVertx() {
    noClasses().should().dependOnClassesThat().resideInAPackage("io.vertx..impl..").check(sluice);
  }

  @Test
  void shouldKeepRoutingPure() {
    noClasses()
        .that()
        .resideInAPackage("sluice.gateway.route..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.vertx..",
            "io.netty.channel..",
            "sluice.gateway.server..",
            "sluice.gateway.client..",
            "sluice.gateway.dispatch..",
            "sluice.gateway.listener..",
            "sluice.gateway.net..",
            "sluice.gateway.loop..")
        .check(sluice);
  }

  @Test
  void shouldHaveNoCyclesBetweenPackages() {
    slices().matching("sluice.(**)").should().beFreeOfCycles().check(sluice);
  }

  /** ADR 0042: who reads requests knows who sends them, and not the other way round. */
  @Test
  void shouldLetRequestsGoOneWay() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("listen")
        .definedBy("sluice.gateway.listen")
        .layer("readers")
        .definedBy("sluice.gateway.client.text", "sluice.gateway.client.binary")
        .layer("dispatch")
        .definedBy("sluice.gateway.dispatch..")
        .layer("client")
        .definedBy("sluice.gateway.client")
        .layer("session")
        .definedBy("sluice.gateway.session")
        .layer("listener")
        .definedBy("sluice.gateway.listener")
        .whereLayer("listen")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("readers")
        .mayOnlyBeAccessedByLayers("listen")
        .whereLayer("dispatch")
        .mayOnlyBeAccessedByLayers("listener", "client", "readers", "listen")
        .whereLayer("client")
        .mayOnlyBeAccessedByLayers("readers", "listen")
        .check(sluice);
  }

  /** ADR 0051: a protocol knows no connection, and a connection does not know who shares it. */
  @Test
  void shouldLetRepliesComeOneWay() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("server")
        .definedBy("sluice.gateway.server")
        .layer("shared")
        .definedBy("sluice.gateway.server.shared")
        .layer("connection")
        .definedBy("sluice.gateway.server.connection")
        .layer("protocols")
        .definedBy("sluice.gateway.server.protocol.*")
        .layer("protocol")
        .definedBy("sluice.gateway.server.protocol")
        .layer("health")
        .definedBy("sluice.gateway.server.health")
        .whereLayer("server")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("shared")
        .mayOnlyBeAccessedByLayers("server")
        .whereLayer("connection")
        .mayOnlyBeAccessedByLayers("server", "shared")
        .whereLayer("protocols")
        .mayOnlyBeAccessedByLayers("server")
        .whereLayer("protocol")
        .mayOnlyBeAccessedByLayers("server", "shared", "connection", "protocols")
        .check(sluice);
  }

  @Test
  void shouldPrintOnlyWhereAPersonReads() {
    classes()
        .that()
        .areAnnotatedWith(AllowedHere.class)
        .should()
        .resideInAPackage("sluice.gateway.cli")
        .check(sluice);
  }

  /** A field of type Object suppresses what it holds from the compiler and from the rules above. */
  @Test
  void shouldGiveEveryFieldTheTypeOfWhatItHolds() {
    noFields()
        .that()
        .areDeclaredInClassesThat()
        .resideInAnyPackage(
            "sluice.gateway.client..",
            "sluice.gateway.dispatch..",
            "sluice.gateway.request..",
            "sluice.gateway.listen..",
            "sluice.gateway.server.connection..",
            "sluice.gateway.server.protocol..",
            "sluice.gateway.session..",
            "sluice.gateway.listener..")
        .should()
        .haveRawType(Object.class)
        .check(sluice);
  }
}
