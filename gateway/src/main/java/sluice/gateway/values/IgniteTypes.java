package sluice.gateway.values;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Utf8;
import sluice.codecs.ignite.ValueType;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.IgniteRequestWriter;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;

/**
 * Conversion of flags for Ignite nodes, which keep types of values instead of flags. Flags and
 * bytes must come back unchanged; a value for which that is impossible is refused
 * (docs/reference/ignite.md).
 */
public final class IgniteTypes implements ValueWork {
  private static final Failure EMPTY = Failure.ofServer("Ignite stores no empty values");
  private static final Failure FLAGS = Failure.ofServer("Ignite cannot keep these flags");
  private static final Failure OBJECT =
      Failure.ofServer("Ignite would read the serialized object as its own");
  private static final Failure TYPE =
      Failure.ofServer("the value does not have the type that its flags state");
  private static final Failure TEXT = Failure.ofServer("Ignite appends only UTF-8 text");

  private final IgniteRequestWriter writer;
  private final Utf8 utf8 = new Utf8();

  /**
   * @param writer of the requests
   */
  public IgniteTypes(IgniteRequestWriter writer) {
    this.writer = writer;
  }

  @Override
  public void prepare(Request request) {
    // a node reports the type of its own value
  }

  @Override
  public boolean gathers(Request request) {
    return request.operation.isStorage()
        && (request.operation == Operation.APPEND
            || request.operation == Operation.PREPEND // whose flags say nothing
            || request.flags != ValueType.BYTES.code()
            || request.valueLength == 0
            || writer.isExpired(request.timeToLive.exptime));
  }

  @Override
  public @Nullable Failure outbound(Request request, SliceList value) {
    if (request.operation == Operation.APPEND || request.operation == Operation.PREPEND) {
      return isText(value) ? null : TEXT;
    }
    if (value.length() == 0) {
      return EMPTY;
    }
    Failure reason = type(request, value);
    if (reason == null
        && request.operation != Operation.ADD
        && writer.isExpired(request.timeToLive.exptime)) {
      request.operation = Operation.DELETE;
      request.valueLength = 0;
      value.clear();
    }
    return reason;
  }

  private @Nullable Failure type(Request request, SliceList value) {
    if (request.flags == ValueType.STRING.code()) {
      if (!isText(value)) {
        request.flags = ValueType.BYTES.code();
      }
      return null;
    }
    ValueType type = ValueType.of(request.flags);
    if (request.flags != type.code()) {
      return FLAGS;
    }
    return switch (type) {
      case BYTES, STRING -> null;
      case SERIALIZED -> OBJECT;
      case BOOLEAN -> isBoolean(value) ? null : TYPE;
      case INTEGER, LONG, DATE -> value.length() <= type.width() ? null : TYPE;
      case BYTE, FLOAT, DOUBLE -> value.length() == type.width() ? null : TYPE;
    };
  }

  private static boolean isBoolean(SliceList value) {
    if (value.length() != 1) {
      return false;
    }
    ByteBuf slice = value.get(0);
    int character = slice.getByte(slice.readerIndex());
    return character == '0' || character == '1';
  }

  private boolean isText(SliceList value) {
    utf8.reset();
    for (int i = 0; i < value.count(); i++) {
      ByteBuf slice = value.get(i);
      if (!utf8.accepts(slice, slice.readerIndex(), slice.writerIndex())) {
        return false;
      }
    }
    return utf8.isWhole();
  }

  @Override
  public boolean gathers(Reply reply, Awaited awaited) {
    return false;
  }

  @Override
  public @Nullable Failure inbound(Reply reply, Awaited awaited, SliceList value) {
    throw new IllegalStateException("values pass as they are");
  }

  @Override
  public void answered(Reply reply, Awaited awaited) {
    // the stored bytes are those of the request
  }
}
