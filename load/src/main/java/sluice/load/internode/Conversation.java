package sluice.load.internode;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.function.Consumer;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.MessageHeader;
import sluice.load.traffic.LoadRun;
import sluice.names.Verb;

/**
 * Two nodes of which one writes and the other answers, each on a connection of its own, as nodes
 * do. A window of requests is under way; each that is answered makes room for the next. Ids count
 * up, and must come out in their order, with the lengths that follow from them.
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
  private long asked; // ids up to here have been sent,
  private long taken; // have come to the replica,
  private long answered; // and have been answered
  private int due; // answered in this read
  private Nodes.Answers answers; // null: those that are answered make room for others

  /**
   * A conversation.
   *
   * @param number its own, from 0 on: who its nodes say they are follows from it
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
   * What is said.
   *
   * @param window requests of one conversation that are under way at the same time
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

  /** Who sends requests, as it calls itself. */
  InetSocketAddress writer() {
    return writer;
  }

  /** Who answers them, as it calls itself. */
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

  /** Sends until the run is over and all is answered; on the loop of its channels. */
  void drive() {
    answers = null;
    ask(window);
    requests.flush();
  }

  /** Who is told of answers from now on, and sends by {@link #ask} and {@link #flush} itself. */
  void answers(Nodes.Answers told) {
    answers = told;
  }

  /**
   * Adds requests.
   *
   * @return the id of the last
   */
  long ask(int count) {
    for (int i = 0; i < count; i++) {
      asked++; // it wants to hear of a failure, as a coordinator of writes does
      requests.add(
          asked, Verb.MUTATION_REQ, MessageHeader.CALL_BACK_ON_FAILURE, payloadLength(asked));
    }
    return asked;
  }

  /** Sends what was added. */
  void flush() {
    requests.flush();
  }

  /** What is missing between what was said and what was heard; null if nothing is. */
  String missing() {
    return taken == asked && answered == asked
        ? null
        : "%d requests, of which the replica took %d and answers to %d came"
            .formatted(asked, taken, answered);
  }

  private int payloadLength(long id) {
    return minPayload + (int) (id * 31 % (maxPayload - minPayload + 1));
  }

  /** What the replica takes. */
  NodeReceiver.Receiver atReplica() {
    return new NodeReceiver.Receiver() {
      @Override
      public void message(long id, Verb verb, long payloadLength) {
        taken++;
        if (id != taken || verb != Verb.MUTATION_REQ || payloadLength != payloadLength(id)) {
          run.fail(
              "the replica took %s %d with %d bytes, expected id %d with %d"
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

  /** What the writer takes. */
  NodeReceiver.Receiver atWriter() {
    return new NodeReceiver.Receiver() {
      @Override
      public void message(long id, Verb verb, long payloadLength) {
        answered++;
        if (answered > asked || id != answered || verb != Verb.MUTATION_RSP || payloadLength != 0) {
          run.fail(
              "the writer took %s %d with %d bytes, expected an answer to %d"
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
      if (missing() != null) {
        run.fail(missing());
      }
      run.done();
    }
  }
}
