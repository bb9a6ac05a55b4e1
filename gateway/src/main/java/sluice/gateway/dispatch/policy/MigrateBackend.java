package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.DelegatingBackend;
import sluice.gateway.route.Migration;
import sluice.names.Dialect;

/** Backend that sends the keys that have moved to another pool. */
final class MigrateBackend extends DelegatingBackend {
  private final Migration migration;
  private final Backend moved;

  MigrateBackend(Migration migration, Backend stays, Backend moved) {
    super(stays);
    this.migration = migration;
    this.moved = moved;
  }

  @Override
  public Backend select(
      Dialect client, ByteBuf key, int from, int to, ByteBuf renamed, double draw) {
    return migration.hasMoved(key, from, to) ? moved : next;
  }
}
