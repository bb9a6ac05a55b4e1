package sluice.gateway.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a reader of a document does, in its order: the files that it asks for, and the commands with
 * the output that it shows.
 */
final class DocumentSteps {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\\n(.*?)^```$");
  private static final Pattern FILE = Pattern.compile("`([\\w.-]+\\.yaml)`:$");

  private DocumentSteps() {}

  /** One step. */
  sealed interface Step {}

  /** The reader writes a file. */
  record WriteFile(String name, String content) implements Step {}

  /** The reader types a command, and sees these lines. */
  record Type(String command, List<String> output) implements Step {}

  /** The command that still runs, in the reader's first terminal, now shows these lines as well. */
  record Watch(List<String> output) implements Step {}

  static List<Step> of(String document) {
    List<Step> steps = new ArrayList<>();
    Matcher block = BLOCK.matcher(document);
    while (block.find()) {
      Matcher file = FILE.matcher(document.substring(0, block.start()).strip());
      if (block.group(1).equals("yaml") && file.find()) {
        steps.add(new WriteFile(file.group(1), block.group(2)));
      } else if (block.group(1).equals("console")) {
        addCommands(steps, block.group(2).lines().toList());
      }
    }
    return steps;
  }

  private static void addCommands(List<Step> steps, List<String> lines) {
    int from = 0;
    while (from < lines.size()) {
      int to = from + 1;
      while (to < lines.size() && !isCommand(lines.get(to))) {
        to++;
      }
      List<String> output = lines.subList(from + (isCommand(lines.get(from)) ? 1 : 0), to);
      steps.add(
          isCommand(lines.get(from))
              ? new Type(lines.get(from).substring("$ ".length()), output)
              : new Watch(output));
      from = to;
    }
  }

  private static boolean isCommand(String line) {
    return line.startsWith("$ ");
  }
}
