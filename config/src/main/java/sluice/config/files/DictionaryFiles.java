package sluice.config.files;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDictCompress;
import com.github.luben.zstd.ZstdDictDecompress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.model.DictionaryFile;
import sluice.config.schema.Checked;
import sluice.names.DictionaryId;

/**
 * Reader of the Zstandard dictionaries (RFC 8878, section 5) that {@code compression} sections
 * name. Each is read once, and its problems are reported at the setting that names it.
 */
public final class DictionaryFiles {
  private static final String EXPECTED = "a trained Zstandard dictionary";

  private static final int LEVEL = 1;

  private final FilesBeside files;
  private final Map<String, Optional<DictionaryFile>> known = new HashMap<>();

  /**
   * @param files reads the files
   */
  public DictionaryFiles(FilesBeside files) {
    this.files = files;
  }

  /** The dictionaries of one section, in its order; without those that are invalid. */
  public List<DictionaryFile> all(List<Checked<String>> section) {
    List<DictionaryFile> all = new ArrayList<>();
    Map<Integer, Checked<String>> byId = new HashMap<>();
    for (Checked<String> each : section) {
      boolean isNew = !known.containsKey(each.path());
      Optional<DictionaryFile> file = known.computeIfAbsent(each.path(), path -> read(each));
      if (file.isPresent()) {
        int id = DictionaryId.of(file.get().content());
        Checked<String> same = byId.putIfAbsent(id, each);
        if (same == null) {
          all.add(file.get());
        } else if (isNew) {
          files.refuse(
              each, "the same dictionary as " + same.path(), "another dictionary, or none");
        }
      }
    }
    return all;
  }

  private Optional<DictionaryFile> read(Checked<String> file) {
    return files.read(
        file, EXPECTED, content -> new DictionaryFile(FilesBeside.name(file), checked(content)));
  }

  private static byte[] checked(byte[] content) throws UnfitFileException {
    if (Zstd.getDictIdFromDict(content) == 0) { // other bytes, or a dictionary without an id
      throw new UnfitFileException("no trained dictionary");
    }
    try {
      new ZstdDictCompress(content, LEVEL).close();
      new ZstdDictDecompress(content).close();
      return content;
    } catch (IllegalStateException e) { // the library does not say what is wrong
      throw new UnfitFileException("a damaged dictionary", e);
    }
  }
}
