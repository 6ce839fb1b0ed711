import { asError } from '../../base/as-error.js';
import { quorumOf } from './redlock-attempt.js';
import type { RedlockNode } from './redlock-node.js';
import { RedlockQuorumError } from './redlock-quorum.error.js';

/** What a majority says, as soon as it has said it; rejects when too many did not answer. */
export function majorityOf(
  nodes: readonly RedlockNode[],
  ask: (node: RedlockNode) => Promise<boolean>,
): Promise<boolean> {
  const quorum = quorumOf(nodes);
  return new Promise((resolve, reject) => {
    const answers = new Map<RedlockNode, boolean | Error>();
    let yes = 0;
    let no = 0;
    const count = (node: RedlockNode, answer: boolean | Error) => {
      answers.set(node, answer);
      if (answer === true) yes += 1;
      else if (answer === false) no += 1;
      if (yes >= quorum) resolve(true);
      else if (no > nodes.length - quorum) resolve(false);
      else if (answers.size === nodes.length) reject(quorumError(answers, (yes) => (yes ? 'yes' : 'no')));
    };
    for (const node of nodes) {
      ask(node).then(
        (answer) => count(node, answer),
        (error: unknown) => count(node, asError(error)),
      );
    }
  });
}

/** The answers of all nodes that gave one; rejects when fewer than `enough` did. */
export async function answersOf<T>(
  nodes: readonly RedlockNode[],
  enough: number,
  ask: (node: RedlockNode) => Promise<T>,
): Promise<readonly T[]> {
  const answers = new Map<RedlockNode, { readonly answer: T } | Error>();
  await Promise.all(
    nodes.map(async (node) => {
      answers.set(node, await ask(node).then((answer) => ({ answer }), asError));
    }),
  );
  const given = [...answers.values()].flatMap((each) => (each instanceof Error ? [] : [each.answer]));
  if (given.length < enough) throw quorumError(answers, () => 'answered');
  return given;
}

function quorumError<T>(answers: ReadonlyMap<RedlockNode, T | Error>, textOf: (answer: T) => string): Error {
  return new RedlockQuorumError(
    [...answers].map(
      ([{ name }, answer]) => `${name}: ${answer instanceof Error ? answer.message : textOf(answer)}`,
    ),
  );
}
