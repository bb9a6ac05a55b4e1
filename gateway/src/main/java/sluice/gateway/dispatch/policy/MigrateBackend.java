package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.route.Migration;
import sluice.names.Dialect;

/** The backend that sends the keys which have moved to another pool. */
final class MigrateBackend extends SelectingBackend {
  private final Migration migration;
  private final Backend stays;
  private final Backend moved;

  MigrateBackend(Migration migration, Backend stays, Backend moved) {
    this.migration = migration;
    this.stays = stays;
    this.moved = moved;
  }

  @Override
  Backend first() {
    return stays;
  }

  @Override
  public Backend select(Dialect client, ByteBuf key, int from, int to, ByteBuf renamed) {
    return migration.hasMoved(key, from, to) ? moved : stays;
  }
}
