package sluice.config.sections;

import java.util.List;
import java.util.Optional;
import sluice.config.model.Address;
import sluice.config.model.AddressBlock;
import sluice.config.model.ProxyProtocolConfig;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Scalars;
import sluice.config.schema.Type;

/** Description of a listener's {@code proxyProtocol}: its key, its checks, and their record. */
final class ProxyProtocolSection {
  private static final Type.Scalar<AddressBlock> BLOCK =
      Scalars.string(
          "an IP address or a CIDR block, such as 10.0.0.5, 10.0.0.0/8 or 2001:db8::/32",
          text -> AddressBlock.parse(text).orElse(null),
          AddressBlock::label,
          "[0-9A-Fa-f:.]+(/[0-9]{1,3})?");
  private static final Key<List<Checked<AddressBlock>>> FROM =
      Key.required(
          "from",
          new Type.Items<>("address block", BLOCK, false),
          "Addresses of the proxies. Connections from these addresses must begin with a PROXY"
              + " header. On all other connections, the gateway reads no header.");

  /** Its key, and the record's value for it. */
  static final Layout<ProxyProtocolConfig> LAYOUT =
      Layout.of(ProxyProtocolConfig.class).list(FROM, proxies -> Optional.of(proxies.from()));

  private ProxyProtocolSection() {}

  /**
   * Refuses invalid sections. A peer is trusted by its address, so it must have one, and not every
   * address may be trusted.
   *
   * @param proxies the section, written or not
   * @param bind address of its listener
   */
  static void check(Checked<Fields> proxies, Checked<Address> bind, Problems problems) {
    if (proxies.written() && bind.value().filter(Address.Unix.class::isInstance).isPresent()) {
      proxies.refuse(problems, "nothing here: clients of a Unix socket have no address to trust");
    }
    List<Checked<AddressBlock>> from = Fields.of(proxies).items(FROM);
    Checked.requireOnce(from, problems);
    for (Checked<AddressBlock> block : from) {
      if (block.value().filter(b -> b.bits() == 0).isPresent()) {
        block.warn(
            problems, "only addresses of proxies: any client in this range can claim any address");
      }
    }
  }

  /** The record of a valid section. */
  static ProxyProtocolConfig bind(Fields proxies) {
    return new ProxyProtocolConfig(proxies.values(FROM));
  }
}
