import type { HostInfo } from '../contract/index.ts'

/** The platform as far as screens care: which keys and which words. */
export function toPlatform(platform: NodeJS.Platform): HostInfo['platform'] {
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux'
}
