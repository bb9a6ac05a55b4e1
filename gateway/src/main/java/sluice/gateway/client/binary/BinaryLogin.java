package sluice.gateway.client.binary;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.codecs.memcached.binary.PlainMessage;
import sluice.gateway.client.Pieces;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.session.Worker;
import sluice.names.Command;

/**
 * The login of a client of the binary protocol where one is wanted: SASL with the mechanism PLAIN,
 * as memcached's (proto_bin.c of 1.6.45). Before it only Version and the three opcodes of SASL are
 * taken; anything else is refused and closes the connection. Each of those three ends an earlier
 * login, as there.
 */
final class BinaryLogin {
  private static final String PLAIN = "PLAIN";
  private static final String FAILURE = "Auth failure.";
  private static final String INVALID = "Invalid arguments";
  private static final int MAX_MECHANISM = 32;
  private static final int MAX_MESSAGE = 16 * 1024;

  private final BinaryClient client;
  private final Worker worker;
  private final Listening listening;
  private final BinaryRouting routing;
  private final BinaryPacket packet;
  private final PlainMessage plain = new PlainMessage();
  private boolean loggedIn;
  private boolean awaitsStep;

  BinaryLogin(BinaryClient client, Worker worker, Listening listening, BinaryRouting routing) {
    this.client = client;
    this.worker = worker;
    this.listening = listening;
    this.routing = routing;
    packet = routing.packet();
  }

  /** Whether a packet is to be dealt with as if there were no login. */
  boolean passes(Command command) {
    return command == Command.VERSION || (loggedIn && command != Command.SASL);
  }

  /** The packet whose head is [from, headEnd) of buffer, which does not pass. Borrows buffer. */
  void packet(Command command, ByteBuf buffer, int from, int headEnd) {
    if (command != Command.SASL && packet.body() <= BinaryPacket.MAX_BODY) {
      routing.refuse(command, Opcode.STATUS_AUTH_ERROR, FAILURE, buffer, headEnd);
      client.end();
    } else if (!isWellFormed()) {
      ByteBuf reply = routing.reply(Opcode.STATUS_INVALID_ARGUMENTS, INVALID);
      client.packetDone(buffer, headEnd);
      client.answer(command, Outcome.PROTOCOL_ERROR, reply);
      client.end();
    } else if (packet.keyLength() > MAX_MECHANISM) {
      ByteBuf reply = routing.reply(Opcode.STATUS_INVALID_ARGUMENTS, INVALID);
      client.packetDone(buffer, headEnd);
      client.swallow(messageLength(), command, Outcome.PROTOCOL_ERROR, reply, false);
    } else {
      loggedIn = false;
      sasl(buffer, from, headEnd);
    }
  }

  private boolean isWellFormed() {
    int key = packet.keyLength();
    return packet.body() <= BinaryPacket.MAX_BODY
        && (packet.opcode() == Opcode.SASL_LIST
            ? packet.body() == 0
            : packet.extras() == 0 && key > 0 && key <= BinaryPacket.MAX_KEY);
  }

  private long messageLength() {
    return packet.body() - packet.keyLength();
  }

  private void sasl(ByteBuf buffer, int from, int headEnd) {
    long message = messageLength();
    if (packet.opcode() == Opcode.SASL_LIST) {
      client.packetDone(buffer, headEnd);
      client.answer(Command.SASL, Outcome.OK, routing.reply(Opcode.STATUS_OK, PLAIN));
    } else if (message > MAX_MESSAGE) {
      awaitsStep = false;
      listening.loginFailed(client.channel(), worker.loop().now());
      ByteBuf reply = routing.reply(Opcode.STATUS_AUTH_ERROR, FAILURE);
      client.packetDone(buffer, headEnd);
      client.swallow(message, Command.SASL, Outcome.REJECTED, reply, false);
    } else if (message > 0) {
      client.gather(buffer, from, headEnd, (int) message);
    } else {
      boolean known = isPlain(buffer, from);
      client.packetDone(buffer, headEnd);
      complete(known, new byte[0]);
    }
  }

  /** A packet whose head is whole and whose message has been gathered. Borrows both. */
  void gathered(ByteBuf head, Pieces pieces) {
    packet.wrap(head, 0);
    boolean known = isPlain(head, 0);
    ByteBuf whole = pieces.copyBehind(head);
    byte[] message = new byte[whole.writerIndex() - head.writerIndex()];
    whole.getBytes(head.writerIndex(), message);
    whole.setZero(0, whole.writerIndex());
    whole.release();
    client.gatheredDone();
    complete(known, message);
    Arrays.fill(message, (byte) 0);
  }

  private boolean isPlain(ByteBuf buffer, int at) {
    return buffer
        .toString(BinaryHeader.keyStart(buffer, at), packet.keyLength(), US_ASCII)
        .equalsIgnoreCase(PLAIN);
  }

  private void complete(boolean known, byte[] message) {
    boolean step = packet.opcode() == Opcode.SASL_STEP;
    if (!step) {
      awaitsStep = known && message.length == 0;
      if (awaitsStep) { // who sends nothing at first is asked for all of it
        client.answer(Command.SASL, Outcome.OK, routing.reply(Opcode.STATUS_AUTH_CONTINUE, ""));
        return;
      }
    }
    loggedIn = (step ? awaitsStep : known) && isRight(message);
    awaitsStep &= !loggedIn;
    if (loggedIn) {
      client.answer(Command.SASL, Outcome.OK, routing.reply(Opcode.STATUS_OK, "Authenticated"));
    } else {
      listening.loginFailed(client.channel(), worker.loop().now());
      client.answer(
          Command.SASL, Outcome.REJECTED, routing.reply(Opcode.STATUS_AUTH_ERROR, FAILURE));
    }
  }

  private boolean isRight(byte[] message) {
    return plain.wrap(message)
        && listening
            .users()
            .admit(
                message, plain.userStart(), plain.userEnd(), plain.passwordStart(), message.length);
  }
}
