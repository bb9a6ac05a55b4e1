package sluice.codecs.memcached.bridge;

/**
 * Facts about a request that are kept until its reply arrives: how the server identifies it, and
 * which parts of the reply the client wants in which form. The owner pools instances; after the
 * first requests, nothing is allocated.
 */
public final class Awaited {
  Operation operation = Operation.GET;
  int wants;
  int valueLength;
  boolean comparesCas;
  // mg that compares a cas: the server may omit a value that the client already has
  boolean mayLackValue;

  // The client's side.
  final EchoedFields echoed = new EchoedFields();
  boolean isPart;

  // The server's side.
  int serverOpaque;
  int serverOpcode;
  long serverKey;
  boolean seenValue;
  boolean toldStates;

  /** Copies what the reply to request needs. */
  public void remember(Request request) {
    operation = request.operation;
    wants = request.wants;
    valueLength = request.valueLength;
    comparesCas = request.comparesCas;
    mayLackValue = request.knowsValue();
    echoed.read(request);
    isPart = false;
    seenValue = false;
    toldStates = false;
    serverOpaque = -1;
  }

  /** Copies another instance. */
  public void copy(Awaited other) {
    operation = other.operation;
    wants = other.wants;
    valueLength = other.valueLength;
    comparesCas = other.comparesCas;
    mayLackValue = other.mayLackValue;
    echoed.set(other.echoed);
    isPart = other.isPart;
    serverOpaque = other.serverOpaque;
    serverOpcode = other.serverOpcode;
    serverKey = other.serverKey;
    seenValue = other.seenValue;
    toldStates = other.toldStates;
  }

  /** Marks the reply as one value of a get of several keys, whose end is written elsewhere. */
  public void asSubrequest() {
    isPart = true;
  }

  public Operation operation() {
    return operation;
  }

  /** Whether the client wants to see the value. */
  public boolean wantsValue() {
    return (wants & Request.VALUE) != 0;
  }

  /** Whether the client wants the value's length without the value. */
  public boolean wantsSize() {
    return (wants & Request.SIZE) != 0;
  }

  /**
   * Whether a meta client was told W, X or Z: that the item is stale, or which client is to write
   * it.
   */
  public boolean toldStates() {
    return toldStates;
  }

  /** Length of the value that the client has sent, in bytes. */
  public int valueLength() {
    return valueLength;
  }

  /**
   * Sets the opaque that was sent to the server, and that the reply must repeat; -1 if there is
   * none.
   */
  public void serverOpaque(int opaque) {
    serverOpaque = opaque;
  }
}
