package sluice.gateway.client.binary;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import sluice.codecs.memcached.binary.Opcode;
import sluice.codecs.memcached.binary.PlainMessage;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.Pieces;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.session.Worker;
import sluice.names.Command;

/**
 * Login of a client of the binary protocol where one is required: SASL with the mechanism PLAIN, as
 * in memcached (proto_bin.c of 1.6.45). Before it only Version and the three opcodes of SASL are
 * accepted; any other is refused and closes the connection. As in memcached, each of those three
 * ends an earlier login.
 */
final class BinaryLogin {
  private static final String PLAIN = "PLAIN";
  private static final String FAILURE = "Auth failure.";
  private static final String INVALID = "Invalid arguments";
  private static final int MAX_MECHANISM = 32;
  private static final int MAX_MESSAGE = 16 * 1024;

  private final ConnectedClient client;
  private final BinaryReader reader;
  private final Worker worker;
  private final Listening listening;
  private final BinaryRouting routing;
  private final PlainMessage plain = new PlainMessage();
  private boolean loggedIn;
  private boolean awaitsStep;

  BinaryLogin(
      ConnectedClient client,
      BinaryReader reader,
      Worker worker,
      Listening listening,
      BinaryRouting routing) {
    this.client = client;
    this.reader = reader;
    this.worker = worker;
    this.listening = listening;
    this.routing = routing;
  }

  /** Whether a packet is handled as if no login were required. */
  boolean passes(Command command) {
    return command == Command.VERSION || (loggedIn && command != Command.SASL);
  }

  /** Handles a packet that does not pass. */
  void handle(BinaryRequest request) {
    BinaryPacket packet = request.packet;
    Command command = request.command();
    if (command != Command.SASL && packet.body() <= BinaryPacket.MAX_BODY) {
      routing.refuse(request, Opcode.STATUS_AUTH_ERROR, FAILURE);
      client.end();
    } else if (!isWellFormed(packet)) {
      ByteBuf reply = routing.reply(packet, Opcode.STATUS_INVALID_ARGUMENTS, INVALID);
      reader.packetDone(request, 0);
      client.answer(command, Outcome.PROTOCOL_ERROR, reply);
      client.end();
    } else if (packet.keyLength() > MAX_MECHANISM) {
      long message = messageLength(packet);
      ByteBuf reply = routing.reply(packet, Opcode.STATUS_INVALID_ARGUMENTS, INVALID);
      reader.packetDone(request, 0);
      reader.discard(message, command, Outcome.PROTOCOL_ERROR, reply, false);
    } else {
      loggedIn = false;
      sasl(request);
    }
  }

  private static boolean isWellFormed(BinaryPacket packet) {
    int key = packet.keyLength();
    return packet.body() <= BinaryPacket.MAX_BODY
        && (packet.opcode() == Opcode.SASL_LIST
            ? packet.body() == 0
            : packet.extras() == 0 && key > 0 && key <= BinaryPacket.MAX_KEY);
  }

  private static long messageLength(BinaryPacket packet) {
    return packet.body() - packet.keyLength();
  }

  private void sasl(BinaryRequest request) {
    BinaryPacket packet = request.packet;
    long message = messageLength(packet);
    if (packet.opcode() == Opcode.SASL_LIST) {
      ByteBuf reply = routing.reply(packet, Opcode.STATUS_OK, PLAIN);
      reader.packetDone(request, 0);
      client.answer(Command.SASL, Outcome.OK, reply);
    } else if (message > MAX_MESSAGE) {
      awaitsStep = false;
      listening.loginFailed(client.channel(), worker.loop().now());
      ByteBuf reply = routing.reply(packet, Opcode.STATUS_AUTH_ERROR, FAILURE);
      reader.packetDone(request, 0);
      reader.discard(message, Command.SASL, Outcome.REJECTED, reply, false);
    } else if (message > 0) {
      reader.gather(request, (int) message);
    } else {
      Outcome outcome = complete(packet, new byte[0]);
      ByteBuf reply = reply(packet, outcome);
      reader.packetDone(request, 0);
      client.answer(Command.SASL, outcome, reply);
    }
  }

  /** Handles a packet whose message has been gathered. Borrows pieces. */
  void handleGathered(BinaryRequest request, Pieces pieces) {
    ByteBuf head = request.buffer();
    ByteBuf whole = pieces.copyBehind(head);
    byte[] message = new byte[whole.writerIndex() - head.writerIndex()];
    whole.getBytes(head.writerIndex(), message);
    whole.setZero(0, whole.writerIndex());
    whole.release();
    Outcome outcome = complete(request.packet, message);
    Arrays.fill(message, (byte) 0);
    ByteBuf reply = reply(request.packet, outcome);
    reader.gatheredDone(request);
    client.answer(Command.SASL, outcome, reply);
  }

  private static boolean isPlain(BinaryPacket packet) {
    return packet
        .buffer()
        .toString(packet.keyStart(), packet.keyLength(), US_ASCII)
        .equalsIgnoreCase(PLAIN);
  }

  /** Handles a complete message. Without one, the client is asked for all of it. */
  private Outcome complete(BinaryPacket packet, byte[] message) {
    boolean known = isPlain(packet);
    boolean step = packet.opcode() == Opcode.SASL_STEP;
    if (!step) {
      awaitsStep = known && message.length == 0;
      if (awaitsStep) {
        return Outcome.OK;
      }
    }
    loggedIn = (step ? awaitsStep : known) && isRight(message);
    awaitsStep &= !loggedIn;
    if (!loggedIn) {
      listening.loginFailed(client.channel(), worker.loop().now());
    }
    return loggedIn ? Outcome.OK : Outcome.REJECTED;
  }

  private ByteBuf reply(BinaryPacket packet, Outcome outcome) {
    if (outcome != Outcome.OK) {
      return routing.reply(packet, Opcode.STATUS_AUTH_ERROR, FAILURE);
    }
    return loggedIn
        ? routing.reply(packet, Opcode.STATUS_OK, "Authenticated")
        : routing.reply(packet, Opcode.STATUS_AUTH_CONTINUE, "");
  }

  private boolean isRight(byte[] message) {
    return plain.wrap(message)
        && listening
            .users()
            .admit(
                message, plain.userStart(), plain.userEnd(), plain.passwordStart(), message.length);
  }
}
