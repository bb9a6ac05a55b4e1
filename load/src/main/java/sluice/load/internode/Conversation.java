package sluice.load.internode;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.MessageHeader;
import sluice.load.traffic.LoadRun;
import sluice.names.Verb;

/**
 * Two nodes: the writer sends requests and the replica answers, each on its own connection, as in
 * Cassandra. A window of requests is in flight; each answer makes room for the next. Ids count up.
 * Messages must arrive in order, with the lengths that are derived from their ids.
 */
final class Conversation {
  private static final int STORAGE_PORT = 7000;

  private final LoadRun run;
  private final int window;
  private final int minPayload;
  private final int maxPayload;
  private final InetSocketAddress writer;
  private final InetSocketAddress replica;
  private final NodeSender requests;
  private final NodeSender responses;
  private long asked; // last id that was sent
  private long taken; // last id that arrived at the replica
  private long answered; // last id that was answered
  private int due; // number of answers in this read
  private Nodes.@Nullable Answers answers; // null: answers make room for further requests

  /**
   * A conversation.
   *
   * @param number from 0 on, which determines the addresses that its nodes state
   */
  Conversation(LoadRun run, int number, Plan plan, Workspace workspace, Runnable ready) {
    this.run = run;
    this.window = plan.window();
    this.minPayload = plan.minPayload();
    this.maxPayload = plan.maxPayload();
    writer = node(1, number);
    replica = node(2, number);
    ConnectionType type =
        maxPayload > NodeSender.LARGE_FROM ? ConnectionType.LARGE : ConnectionType.SMALL;
    Framing framing = plan.framing();
    Consumer<String> failed = reason -> run.fail("conversation " + number + ": " + reason);
    requests = new NodeSender(type, framing, writer, workspace, ready, failed);
    responses = new NodeSender(ConnectionType.SMALL, framing, replica, workspace, ready, failed);
  }

  /**
   * Shape of a conversation.
   *
   * @param window requests of one conversation in flight at the same time
   * @param minPayload of a request, in bytes
   * @param maxPayload of a request, in bytes
   */
  record Plan(Framing framing, int window, int minPayload, int maxPayload) {}

  private static InetSocketAddress node(int side, int number) {
    try {
      byte[] address = {10, 0, (byte) side, (byte) number};
      return new InetSocketAddress(InetAddress.getByAddress(address), STORAGE_PORT);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Address of the sending node, as it states it. */
  InetSocketAddress writer() {
    return writer;
  }

  /** Address of the answering node, as it states it. */
  InetSocketAddress replica() {
    return replica;
  }

  /** The writer's connection. */
  NodeSender requests() {
    return requests;
  }

  /** The replica's connection. */
  NodeSender responses() {
    return responses;
  }

  /** Sends until the run is over and everything is answered; on the event loop of its channels. */
  void drive() {
    answers = null;
    ask(window);
    requests.flush();
  }

  /** Sets the listener for answers, which sends by {@link #ask} and {@link #flush} itself. */
  void answers(Nodes.Answers told) {
    answers = told;
  }

  /**
   * Adds requests.
   *
   * @return the id of the last one
   */
  long ask(int count) {
    for (int i = 0; i < count; i++) {
      asked++; // wants a reply about a failure, like a coordinator of writes
      requests.add(
          asked, Verb.MUTATION_REQ, MessageHeader.CALL_BACK_ON_FAILURE, payloadLength(asked));
    }
    return asked;
  }

  /** Sends the added requests. */
  void flush() {
    requests.flush();
  }

  /** Description of missing messages; null if there are none. */
  @Nullable String missing() {
    return taken == asked && answered == asked
        ? null
        : "%d requests, of which the replica received %d, and %d were answered"
            .formatted(asked, taken, answered);
  }

  private int payloadLength(long id) {
    return minPayload + (int) (id * 31 % (maxPayload - minPayload + 1));
  }

  /** Receiver of the replica. */
  NodeReceiver.Receiver atReplica() {
    return new NodeReceiver.Receiver() {
      @Override
      public void message(long id, Verb verb, long payloadLength) {
        taken++;
        if (id != taken || verb != Verb.MUTATION_REQ || payloadLength != payloadLength(id)) {
          run.fail(
              "the replica received %s %d with %d bytes, expected id %d with %d"
                  .formatted(verb, id, payloadLength, taken, payloadLength(taken)));
        }
        responses.add(id, Verb.MUTATION_RSP, 0, 0);
      }

      @Override
      public void readComplete() {
        responses.flush();
      }
    };
  }

  /** Receiver of the writer. */
  NodeReceiver.Receiver atWriter() {
    return new NodeReceiver.Receiver() {
      @Override
      public void message(long id, Verb verb, long payloadLength) {
        answered++;
        if (answered > asked || id != answered || verb != Verb.MUTATION_RSP || payloadLength != 0) {
          run.fail(
              "the writer received %s %d with %d bytes, expected an answer to %d"
                  .formatted(verb, id, payloadLength, answered));
        }
        if (answers == null) {
          due++;
        } else {
          answers.answered(Conversation.this, id);
        }
      }

      @Override
      public void readComplete() {
        goOn();
        if (answers != null) {
          requests.flush();
        }
      }
    };
  }

  private void goOn() {
    int count = due;
    due = 0;
    if (count == 0) {
      return;
    }
    run.completed(count);
    if (!run.isOver()) {
      ask(count);
      requests.flush();
    } else if (answered == asked) {
      String missing = missing();
      if (missing != null) {
        run.fail(missing);
      }
      run.done();
    }
  }
}
