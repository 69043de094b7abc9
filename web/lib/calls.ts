/**
 * Every call under `/api` as its route declares it: what it takes and what it answers, by method and path. Read from the
 * server's own types, so a field that is renamed there breaks the build of the page that reads it. Types only: nothing of
 * the server reaches the browser.
 */
import type { Api as Server } from '../../src/api.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** What the router knows of a call. */
interface Route {
  body: unknown;
  params: unknown;
  query: unknown;
  response: { 200: unknown };
}

/** The router's tree, a level a part of the path. */
type Tree = Server['~Routes'];

type WithSlash<P extends string> = P | `${P}/`;

/** What nearly every call answers; the few others answer a file, as a `Response` of their own. */
interface Envelope {
  success: boolean;
}

/** The paths below a branch that answer a method with an `Answer`. */
type PathsBelow<Branch, M extends Method, Answer, P extends string> = {
  [Part in keyof Branch & string]: Part extends M
    ? Branch[Part] extends Route
      ? [Extract<Branch[Part]['response'][200], Answer>] extends [never]
        ? never
        : WithSlash<P>
      : never
    : Part extends Method
      ? never
      : PathsBelow<Branch[Part], M, Answer, `${P}/${Part}`>;
}[keyof Branch & string];

/** The paths that answer a method with data, as the routes name them: `/api/channel/:id`. */
export type PathOf<M extends Method> = PathsBelow<Tree, M, Envelope, ''>;

/** The paths that answer a GET with a file. */
export type FilePath = PathsBelow<Tree, 'get', Response, ''>;

type At<Branch, P extends string> = P extends ''
  ? Branch
  : P extends `/${infer Rest}`
    ? At<Branch, Rest>
    : P extends `${infer Part}/${infer Rest}`
      ? Part extends keyof Branch
        ? At<Branch[Part], Rest>
        : never
      : P extends keyof Branch
        ? Branch[P]
        : never;

type RouteOf<M extends Method, P extends string> =
  At<Tree, P> extends Record<M, infer R extends Route> ? R : never;

/** All of a successful answer. */
export type AnswerOf<M extends Method, P extends string> = Extract<RouteOf<M, P>['response'][200], Envelope>;

type Data<Answer> = Answer extends { data: infer D } ? D : undefined;

/** The data of a successful answer; undefined where it has none. */
export type DataOf<M extends Method, P extends string> = Data<AnswerOf<M, P>>;

/** A query is text on the wire. A field that is empty is left out of the address. */
type InQuery<Q> = { [K in keyof Q]?: Q[K] | string | undefined };

/** A body is only read. */
type InBody<T> = T extends readonly (infer Item)[]
  ? readonly InBody<Item>[]
  : T extends object
    ? { [K in keyof T]: InBody<T[K]> }
    : T;

/** A page has the ids of its address as text. */
type InPath<P> = { [K in keyof P]: P[K] | string };

/** A part of what a call takes: required where one of its fields is, absent where the route knows none. */
type Part<Name extends string, T> = keyof T extends never
  ? { [K in Name]?: never }
  : Record<string, never> extends T
    ? { [K in Name]?: T }
    : { [K in Name]: T };

/** What a call takes. */
export type GivenOf<M extends Method, P extends string> = Part<'params', InPath<RouteOf<M, P>['params']>> &
  Part<'body', InBody<RouteOf<M, P>['body']>> & {
    query?: InQuery<RouteOf<M, P>['query']>;
    /** Gives the call up, in the browser: it then fails as one without an answer. */
    signal?: AbortSignal;
  };

/** The body of a call. */
export type BodyOf<M extends Method, P extends string> = InBody<RouteOf<M, P>['body']>;

/** The same as the last of a function's arguments, which may be left out where nothing is required. */
export type Given<M extends Method, P extends string> =
  Record<string, never> extends GivenOf<M, P> ? [given?: GivenOf<M, P>] : [given: GivenOf<M, P>];
