#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'

// A command needs little memory, because it reads rows page by page. Without these flags, V8 would
// let the heap grow to a hundred megabytes before it collects garbage.
setFlagsFromString('--optimize-for-size')
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--no-maglev')
import('../dist/cli/main.js')
