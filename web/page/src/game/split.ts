/** The text of one game among many. */
export interface Piece {
  readonly text: string;
  /** Its first line in the whole text, from 1. */
  readonly line: number;
  /** Where it ends in the whole text, in characters. */
  readonly end: number;
}

/**
 * Takes a text of games apart, each game as soon as it is asked for, by the marks between games only: whether a piece is
 * a game, its reader says. Joined, the pieces are the text but for space between them.
 */
export function* split(source: string): Generator<Piece> {
  const begin = /[^\s\uFEFF]/.exec(source)?.index;
  if (begin === undefined) return;
  const rest = source.slice(begin, begin + 80);
  if (rest.startsWith("(")) yield* nested(source, begin, /[()[]/g, /[\]\\]/g);
  // A comment of a list of moves begins with a brace too.
  else if (/^\{\s*("|$)/.test(rest)) yield* nested(source, begin, /[{}"]/g, /["\\]/g);
  else yield* rows(source, begin);
}

/** Games between a pair of marks, of which `marks` finds these and what opens a value; `values` finds the end of a value. */
function* nested(source: string, begin: number, marks: RegExp, values: RegExp): Generator<Piece> {
  const lines = lineCounter(source);
  let [from, at, depth] = [begin, begin, 0];
  for (;;) {
    marks.lastIndex = at;
    const mark = marks.exec(source);
    if (mark === null) break;
    at = marks.lastIndex;
    if (mark[0] === "(" || mark[0] === "{") depth += 1;
    else if (mark[0] === ")" || mark[0] === "}") depth -= 1;
    else at = endOfValue(source, at, values);
    if (depth > 0 || (mark[0] !== ")" && mark[0] !== "}")) continue;
    yield { text: source.slice(from, at), line: lines(from), end: at };
    depth = 0;
    while (/[\s\uFEFF]/.test(source.charAt(at))) at += 1;
    from = at;
  }
  const text = source.slice(from);
  if (text.trim() !== "") yield { text, line: lines(from), end: source.length };
}

/** Where the value ends that is open: behind the mark that closes it, or at the end of the text. */
function endOfValue(source: string, begin: number, values: RegExp): number {
  for (values.lastIndex = begin; ;) {
    const mark = values.exec(source);
    if (mark === null) return source.length;
    if (mark[0] !== "\\") return values.lastIndex;
    values.lastIndex += 1;
  }
}

/** Games by lines: a record begins with tags, and a list with a tag or with the number 1. */
function* rows(source: string, begin: number): Generator<Piece> {
  const isList = source[begin] !== "[" || source.startsWith('[FEN "', begin);
  let line = lineCounter(source)(begin);
  let [from, first] = [begin, line];
  let [hasMoves, inComment] = [false, false];
  for (let at = begin; at < source.length; line += 1) {
    const newline = source.indexOf("\n", at);
    const end = newline < 0 ? source.length : newline + 1;
    const bare = source.slice(at, end).trim();
    const begins = bare.startsWith("[") || (isList && /^1\.(?!\.)/.test(bare));
    if (begins && hasMoves && !inComment) {
      yield { text: source.slice(from, at), line: first, end: at };
      [from, first, hasMoves] = [at, line, false];
    }
    if (bare !== "" && !bare.startsWith("[")) {
      hasMoves = true;
      // In a record a tag ends a comment that has no end; so does its reader.
      if (isList) inComment = isOpen(bare, inComment);
    }
    at = end;
  }
  yield { text: source.slice(from), line: first, end: source.length };
}

/** Whether a comment is open behind a line. */
function isOpen(line: string, before: boolean): boolean {
  const [opened, closed] = [line.lastIndexOf("{"), line.lastIndexOf("}")];
  return opened === closed ? before : opened > closed;
}

/** Tells lines of growing places, each character looked at once. */
function lineCounter(source: string): (at: number) => number {
  let [line, known] = [1, 0];
  return (at) => {
    for (let next = source.indexOf("\n", known); next >= 0 && next < at; next = source.indexOf("\n", known)) {
      line += 1;
      known = next + 1;
    }
    return line;
  };
}
