package sluice.gateway.tls;

import io.netty.channel.ChannelPipeline;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.security.auth.x500.X500Principal;

/**
 * Names of a peer in its certificate: the DNS names, in lower case, and URIs among its subject
 * alternative names. Without either it is the common name, the last one if there are several. The
 * common name is a fallback only (RFC 6125, 6.4.4): an authority that verifies alternative names
 * may not verify common names.
 */
public final class CertifiedNames {
  private static final int DNS_NAME = 2; // tag of a GeneralName, RFC 5280, 4.2.1.6
  private static final int URI = 6;

  private CertifiedNames() {}

  /**
   * The names of the peer of a channel after the handshake; empty without TLS or without a
   * certificate.
   */
  public static Set<String> of(ChannelPipeline pipeline) {
    TlsRecords records = pipeline.get(TlsRecords.class);
    if (records == null) {
      return Set.of();
    }
    try {
      return records.engine().getSession().getPeerCertificates()[0] instanceof X509Certificate shown
          ? of(shown)
          : Set.of();
    } catch (SSLPeerUnverifiedException e) {
      return Set.of();
    }
  }

  static Set<String> of(X509Certificate certificate) {
    Set<String> names = new HashSet<>();
    try {
      Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
      for (List<?> name : alternatives == null ? List.<List<?>>of() : alternatives) {
        int type = (Integer) name.get(0);
        if (type == DNS_NAME) {
          names.add(((String) name.get(1)).toLowerCase(Locale.ROOT));
        } else if (type == URI) {
          names.add((String) name.get(1));
        }
      }
    } catch (CertificateParsingException e) {
      return Set.of(); // the rest of its names is unknown
    }
    return names.isEmpty() ? commonName(certificate) : names;
  }

  private static Set<String> commonName(X509Certificate certificate) {
    String subject = certificate.getSubjectX500Principal().getName(X500Principal.RFC2253);
    try {
      List<Rdn> parts = new LdapName(subject).getRdns(); // the last is the most specific
      for (int i = parts.size() - 1; i >= 0; i--) {
        if (parts.get(i).getType().equalsIgnoreCase("CN")
            && parts.get(i).getValue() instanceof String name) {
          return Set.of(name);
        }
      }
      return Set.of();
    } catch (InvalidNameException e) {
      return Set.of();
    }
  }
}
