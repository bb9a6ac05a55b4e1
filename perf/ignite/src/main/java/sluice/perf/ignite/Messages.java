package sluice.perf.ignite;

import org.apache.ignite.internal.managers.communication.IgniteMessageFactoryImpl;
import org.apache.ignite.plugin.extensions.communication.Message;
import org.apache.ignite.plugin.extensions.communication.MessageFactory;
import org.apache.ignite.plugin.extensions.communication.MessageFactoryProvider;

/** What Ignite's writers want to be made with. */
final class Messages {
  private static final short TYPE = 1000;

  private Messages() {}

  /** A factory that knows one message: it refuses to know none. */
  static MessageFactory factory() {
    Message message = () -> TYPE;
    MessageFactoryProvider provider = factory -> factory.register(TYPE, () -> message);
    return new IgniteMessageFactoryImpl(new MessageFactoryProvider[] {provider});
  }
}
