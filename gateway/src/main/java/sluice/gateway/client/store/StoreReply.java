package sluice.gateway.client.store;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.TextReply;
import sluice.gateway.loop.Loop;
import sluice.names.Command;

/**
 * Reply of the embedded store to a request with a rewritten key, which is replaced by the client's.
 * Each such request has one key, so the key in the reply is that one, in any form.
 */
public final class StoreReply {
  private static final int CODE = 2;

  private StoreReply() {}

  /**
   * Consumes the beginning of a text reply up to the end of the key in it.
   *
   * @param reply borrowed; its reader index is moved behind the replaced part
   * @param key the client's key is [from, to) of it, not in base64; borrowed
   * @param renamed the store's key, not in base64; borrowed
   * @return the bytes to write instead; the caller owns the result, which is null if the reply has
   *     no key
   */
  public static @Nullable ByteBuf withKey(
      Loop loop, Command command, ByteBuf reply, ByteBuf key, int from, int to, ByteBuf renamed) {
    int at = keyStart(command, reply);
    if (at < 0) {
      return null;
    }
    // In base64 if it was stored so, for any form of the request; that form is the longer one.
    int rawEnd = at + renamed.readableBytes();
    boolean raw =
        rawEnd < reply.writerIndex()
            && reply.getByte(rawEnd) <= ' '
            && ByteBufUtil.equals(
                reply, at, renamed, renamed.readerIndex(), renamed.readableBytes());
    int start = reply.readerIndex();
    ByteBuf head = loop.buffer(at - start + (to - from + 2) / 3 * 4);
    head.writeBytes(reply, start, at - start);
    if (raw) {
      head.writeBytes(key, from, to - from);
      reply.readerIndex(rawEnd);
    } else {
      Base64Key.encode(key, from, to, head);
      reply.readerIndex(TextReply.tokenEnd(reply, at, reply.writerIndex()));
    }
    return head;
  }

  /** Index of the key in a reply; -1 if it has none. */
  private static int keyStart(Command command, ByteBuf reply) {
    int start = reply.readerIndex();
    int lf = reply.indexOf(start, reply.writerIndex(), (byte) '\n');
    if (lf - start < CODE) {
      return -1;
    }
    return switch (command) {
      case GET, GETS, GAT, GATS -> behind("VALUE ", reply, start, lf);
      case ME -> behind("ME ", reply, start, lf);
      case MG, MS, MD, MA -> behindKeyFlag(reply, start + CODE, lf);
      default -> -1;
    };
  }

  private static int behind(String word, ByteBuf reply, int start, int lf) {
    return TextReply.startsWith(reply, start, lf, word) ? start + word.length() : -1;
  }

  private static int behindKeyFlag(ByteBuf reply, int flags, int lf) {
    // An error line has no space here.
    for (int i = flags; i < lf && reply.getByte(i) == ' '; ) {
      if (reply.getByte(i + 1) == 'k') {
        return i + 2;
      }
      i = TextReply.tokenEnd(reply, i + 1, lf);
    }
    return -1;
  }

  /**
   * Consumes the header, extras and key of a binary reply of one packet.
   *
   * @param reply borrowed; its reader index is moved behind the replaced part
   * @param key the client's key is [from, to) of it; borrowed
   * @return the bytes to write instead; the caller owns the result, which is null if the reply has
   *     no key
   */
  public static @Nullable ByteBuf withBinaryKey(
      Loop loop, ByteBuf reply, ByteBuf key, int from, int to) {
    int start = reply.readerIndex();
    int old =
        reply.readableBytes() < BinaryHeader.LENGTH ? 0 : BinaryHeader.keyLength(reply, start);
    if (old == 0) {
      return null;
    }
    int keyStart = BinaryHeader.keyStart(reply, start);
    ByteBuf head = loop.buffer(keyStart - start + to - from);
    head.writeBytes(reply, start, keyStart - start).writeBytes(key, from, to - from);
    head.setShort(2, to - from);
    head.setInt(8, (int) BinaryHeader.bodyLength(reply, start) - old + to - from);
    reply.readerIndex(keyStart + old);
    return head;
  }
}
