package sluice.gateway.client.binary;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import sluice.codecs.memcached.binary.Opcode;
import sluice.codecs.memcached.binary.PlainMessage;
import sluice.gateway.auth.Users;
import sluice.gateway.client.ValueSlices;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.session.LoopState;
import sluice.names.Command;

/**
 * Login of a client of the binary protocol where one is required: SASL with the mechanism PLAIN, as
 * in memcached (proto_bin.c of 1.6.45). Before it only Version and the three opcodes of SASL are
 * accepted; any other is refused and closes the connection. As in memcached, each of those three
 * ends an earlier login. What one client has reached is in its {@link LoginState}.
 */
final class BinaryLogin {
  private static final String PLAIN = "PLAIN";
  private static final String FAILURE = "Auth failure.";
  private static final String INVALID = "Invalid arguments";
  private static final int MAX_MECHANISM = 32;
  private static final int MAX_MESSAGE = 16 * 1024;

  private final LoopState loopState;
  private final BinaryRouting routing;

  BinaryLogin(LoopState loopState, BinaryRouting routing) {
    this.loopState = loopState;
    this.routing = routing;
  }

  /** Whether a packet is handled as if no login were required. */
  static boolean passes(BinaryRequest request) {
    LoginState login = request.owner().login();
    Command command = request.command();
    return login == null
        || command == Command.VERSION
        || (login.isLoggedIn() && command != Command.SASL);
  }

  /** Handles a packet that does not pass. */
  void handle(BinaryRequest request) {
    BinaryRequest.Owner owner = request.owner();
    BinaryPacket packet = request.packet;
    Command command = request.command();
    if (command != Command.SASL && packet.body() <= BinaryPacket.MAX_BODY) {
      routing.refuse(request, Opcode.STATUS_AUTH_ERROR, FAILURE);
      owner.client().end();
    } else if (!isWellFormed(packet)) {
      ByteBuf reply = routing.reply(packet, Opcode.STATUS_INVALID_ARGUMENTS, INVALID);
      owner.packetDone(request, 0);
      owner.client().answer(command, Outcome.PROTOCOL_ERROR, reply);
      owner.client().end();
    } else if (packet.keyLength() > MAX_MECHANISM) {
      long message = messageLength(packet);
      ByteBuf reply = routing.reply(packet, Opcode.STATUS_INVALID_ARGUMENTS, INVALID);
      owner.packetDone(request, 0);
      owner.discard(message, command, Outcome.PROTOCOL_ERROR, reply);
    } else {
      loginOf(owner).loggedIn(false);
      sasl(request);
    }
  }

  /** The login of a client whose packet does not pass. */
  @SuppressWarnings("NullAway") // without a login every packet passes
  private static LoginState loginOf(BinaryRequest.Owner owner) {
    return owner.login();
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
    BinaryRequest.Owner owner = request.owner();
    BinaryPacket packet = request.packet;
    long message = messageLength(packet);
    if (packet.opcode() == Opcode.SASL_LIST) {
      ByteBuf reply = routing.reply(packet, Opcode.STATUS_OK, PLAIN);
      owner.packetDone(request, 0);
      owner.client().answer(Command.SASL, Outcome.OK, reply);
    } else if (message > MAX_MESSAGE) {
      loginOf(owner).awaitsStep(false);
      loginFailed(owner);
      ByteBuf reply = routing.reply(packet, Opcode.STATUS_AUTH_ERROR, FAILURE);
      owner.packetDone(request, 0);
      owner.discard(message, Command.SASL, Outcome.REJECTED, reply);
    } else if (message > 0) {
      owner.gather(request, (int) message);
    } else {
      Outcome outcome = complete(request, new byte[0]);
      ByteBuf reply = reply(request, outcome);
      owner.packetDone(request, 0);
      owner.client().answer(Command.SASL, outcome, reply);
    }
  }

  /** Handles a packet whose message has been gathered. Borrows slices. */
  void handleGathered(BinaryRequest request, ValueSlices slices) {
    BinaryRequest.Owner owner = request.owner();
    ByteBuf head = request.buffer();
    ByteBuf whole = slices.copyBehind(head);
    byte[] message = new byte[whole.writerIndex() - head.writerIndex()];
    whole.getBytes(head.writerIndex(), message);
    whole.setZero(0, whole.writerIndex());
    whole.release();
    Outcome outcome = complete(request, message);
    Arrays.fill(message, (byte) 0);
    ByteBuf reply = reply(request, outcome);
    owner.gatheredDone(request);
    owner.client().answer(Command.SASL, outcome, reply);
  }

  private static boolean isPlain(BinaryPacket packet) {
    return packet
        .buffer()
        .toString(packet.keyStart(), packet.keyLength(), US_ASCII)
        .equalsIgnoreCase(PLAIN);
  }

  /** Handles a complete message. Without one, the client is asked for all of it. */
  private Outcome complete(BinaryRequest request, byte[] message) {
    BinaryRequest.Owner owner = request.owner();
    LoginState login = loginOf(owner);
    BinaryPacket packet = request.packet;
    boolean known = isPlain(packet);
    boolean step = packet.opcode() == Opcode.SASL_STEP;
    if (!step) {
      login.awaitsStep(known && message.length == 0);
      if (login.awaitsStep()) {
        return Outcome.OK;
      }
    }
    owner.client().endsTurn(); // there may be thousands of users, each of which is compared
    boolean loggedIn =
        (step ? login.awaitsStep() : known) && isRight(owner.listenerView(), message);
    login.loggedIn(loggedIn);
    login.awaitsStep(login.awaitsStep() && !loggedIn);
    if (!loggedIn) {
      loginFailed(owner);
    }
    return loggedIn ? Outcome.OK : Outcome.REJECTED;
  }

  private void loginFailed(BinaryRequest.Owner owner) {
    owner.listenerView().loginFailed(owner.client().channel(), loopState.loop().now());
  }

  private ByteBuf reply(BinaryRequest request, Outcome outcome) {
    BinaryPacket packet = request.packet;
    if (outcome != Outcome.OK) {
      return routing.reply(packet, Opcode.STATUS_AUTH_ERROR, FAILURE);
    }
    return loginOf(request.owner()).isLoggedIn()
        ? routing.reply(packet, Opcode.STATUS_OK, "Authenticated")
        : routing.reply(packet, Opcode.STATUS_AUTH_CONTINUE, "");
  }

  private static boolean isRight(ListenerView listenerView, byte[] message) {
    PlainMessage plain = new PlainMessage();
    return plain.wrap(message)
        && usersOf(listenerView)
            .admit(
                message, plain.userStart(), plain.userEnd(), plain.passwordStart(), message.length);
  }

  /** The users who may log in. */
  @SuppressWarnings("NullAway") // for a client that must log in, there are some until its end
  private static Users usersOf(ListenerView listenerView) {
    return listenerView.newestUsers();
  }
}
