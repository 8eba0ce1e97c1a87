import type { SettingsProblem } from './connection-text.ts'

const TEXTS: Record<SettingsProblem['code'], (subject: string) => string> = {
  syntax: () => 'This is neither a postgres:// URL nor a list of keyword=value pairs.',
  'percent-encoding': (subject) =>
    `The ${subject} holds a % that is not followed by two hexadecimal digits. Write %25 for a percent sign.`,
  'several-hosts': () => 'More than one host is named. Name the one to connect to.',
  host: () =>
    'The host cannot be read. In a password write %40 for @, %2F for /, %3A for : and %3F for ?; an IPv6 address stands in [ ].',
  port: () =>
    'The port is not a number from 1 to 65535. If a part of the password was taken for it, write %40 for @, %2F for / and %3A for : in the password.',
  'tls-mode': () => 'The sslmode is none of disable, prefer, require, verify-ca and verify-full.',
  'weak-tls-mode': () =>
    'With the trust store of the system the sslmode has to be verify-full: anybody can get a certificate it trusts.',
  unsupported: (subject) =>
    `The parameter ${subject} asks for something this program cannot do, and leaving it out would be less safe than asked. Remove it to go on.`,
  'unknown-service': (subject) => `There is no service of this name in ${subject}.`,
  'service-file': (subject) => `The service file ${subject} cannot be read as one.`,
  'ssh-host': () => 'The ssh destination is empty, holds a space, or begins with a dash.',
}

/** One or two sentences: what is wrong and how to put it right. */
export function describeSettingsProblem({ code, subject }: SettingsProblem): string {
  return TEXTS[code](subject)
}
