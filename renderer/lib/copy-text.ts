import { showToast } from '../ui/toasts.tsx'

/** Puts a text on the clipboard exactly as it is; says so only when it could not. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    showToast({ tone: 'bad', text: 'The clipboard is not available here. Nothing was copied.' })
    return false
  }
}
