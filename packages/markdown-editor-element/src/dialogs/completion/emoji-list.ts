import type { EmojiItem } from './emoji.ts'

// An emoji, its name, and other words for it.
const EMOJI = `
😄 smile happy joy
😀 grinning smile happy
😁 grin smile
😂 joy laugh tears lol
🤣 rofl laugh lol
😊 blush smile pleased
🙂 slight_smile
🙃 upside_down silly
😉 wink
😍 heart_eyes love
🥰 smiling_hearts love
😘 kiss
😋 yum tasty
😛 tongue_out playful
🤪 zany goofy
😎 sunglasses cool
🤓 nerd geek
🧐 monocle inspect
🤩 star_struck wow
🥳 party celebrate
😏 smirk
😌 relieved
😇 innocent angel halo
🤗 hug
🤔 thinking hmm
🤨 raised_eyebrow doubt
😐 neutral
😑 expressionless
🙄 eye_roll
😬 grimace
🤐 zipper_mouth secret
😴 sleeping zzz
😪 sleepy
😷 mask sick
🤒 thermometer sick
🤢 nauseated sick
🥵 hot
🥶 cold
🥴 woozy
😵 dizzy_face
🤯 exploding_head mind_blown
😕 confused
😟 worried
🙁 slight_frown sad
😮 open_mouth surprise
😲 astonished surprise
🥺 pleading please
😢 cry sad tear
😭 sob cry
😤 triumph huff
😠 angry
😡 rage angry
🤬 cursing swear
😱 scream fear
😨 fearful
😳 flushed
😅 sweat_smile relief
😓 sweat
🫠 melting
🫡 salute
🤫 shush quiet
🤭 hand_over_mouth oops
🥱 yawn bored
😈 imp devil
💀 skull dead
👻 ghost
👽 alien
🤖 robot bot
💩 poop
🙈 see_no_evil monkey
👍 thumbs_up +1 yes agree
👎 thumbs_down -1 no
👌 ok_hand
✌️ victory peace
🤞 fingers_crossed luck
🤘 rock_on
👏 clap applause
🙌 raised_hands hooray
🙏 pray thanks please
🤝 handshake deal
💪 muscle strong
👋 wave hello bye
🤙 call_me
👉 point_right
👈 point_left
👆 point_up
👇 point_down
✋ raised_hand stop
👊 fist_bump
✍️ writing
👀 eyes look
🧠 brain
👤 person
👥 people team
🤷 shrug
🤦 facepalm
💁 info_desk
🙋 raising_hand question
👩‍💻 woman_coder developer
👨‍💻 man_coder developer
❤️ heart love red
🧡 orange_heart
💛 yellow_heart
💚 green_heart
💙 blue_heart
💜 purple_heart
🖤 black_heart
🤍 white_heart
💔 broken_heart
💯 hundred perfect
💥 boom collision
💫 dizzy_star
💦 sweat_drops
💤 zzz sleep
💬 speech comment
💭 thought
🔥 fire hot lit
✨ sparkles new
⭐ star
🌟 glowing_star
⚡ zap lightning fast
☀️ sun
🌤️ partly_sunny
☁️ cloud
🌧️ rain
⛈️ storm
❄️ snowflake cold
🌈 rainbow
🌍 earth world globe
🌙 moon
🌱 seedling grow
🌲 tree
🌸 blossom flower
🌹 rose
🍀 clover luck
🍎 apple
🍌 banana
🍓 strawberry
🍕 pizza
🍔 burger
🌮 taco
🍜 noodles
🍰 cake
🎂 birthday cake
🍪 cookie
☕ coffee tea
🍺 beer
🍷 wine
🥂 cheers
🐛 bug
🐞 ladybug
🐝 bee
🐍 snake python
🐢 turtle slow
🐇 rabbit fast
🐱 cat
🐶 dog
🦊 fox
🐻 bear
🐼 panda
🦄 unicorn
🐳 whale docker
🐧 penguin linux
🦀 crab rust
🐘 elephant
🦋 butterfly
🚀 rocket ship launch
✈️ plane
🚗 car
🚲 bike
🚢 ship_boat release
🚧 construction wip
🚨 alarm siren urgent
🛑 stop_sign
🏠 house home
🏆 trophy win
🥇 gold_medal first
🎯 dart target goal
🎉 tada party hooray
🎊 confetti
🎈 balloon
🎁 gift present
🎨 art palette design
🎵 music note
🎬 clapper film
📷 camera photo
🎮 game
⚽ football soccer
⏰ alarm_clock
⏳ hourglass wait
⌛ hourglass_done
📅 calendar date
📌 pin
📎 paperclip attach
✂️ scissors cut
📝 memo note write
✏️ pencil edit
📖 book read
📚 books docs
📦 package box
📈 chart_up growth
📉 chart_down
📊 bar_chart
📢 loudspeaker announce
🔔 bell notify
🔕 no_bell mute
🔍 search magnifier find
🔒 lock secure
🔓 unlock
🔑 key
🔨 hammer build
🔧 wrench fix
🔩 bolt
⚙️ gear settings
🧪 test_tube experiment
🧹 broom clean
🗑️ trash delete
💡 idea bulb
💻 laptop computer
🖥️ desktop
📱 phone mobile
🔋 battery
🔌 plug
💾 floppy save
📡 satellite
🧩 puzzle piece
🪄 magic wand
💰 money
📧 email mail
📮 postbox
🏷️ label tag
🔗 link chain
✅ check done yes
☑️ checkbox
❌ cross no wrong
❎ cross_button
➕ plus add
➖ minus
❓ question
❗ exclamation
⚠️ warning caution
🚫 prohibited forbidden no
♻️ recycle refactor
🔄 refresh sync
⬆️ up
⬇️ down
➡️ right
⬅️ left
↩️ back undo
🆕 new
🆗 ok
🆘 sos help
ℹ️ information info
🔴 red_circle
🟠 orange_circle
🟡 yellow_circle
🟢 green_circle
🔵 blue_circle
⚪ white_circle
⚫ black_circle
🏁 finish flag
🚩 red_flag
🏳️‍🌈 rainbow_flag pride
`

interface Entry extends EmojiItem {
  readonly words: readonly string[]
}

const ENTRIES: readonly Entry[] = EMOJI.trim()
  .split('\n')
  .map((line) => {
    const [emoji = '', name = '', ...others] = line.split(' ')
    return { emoji, icon: emoji, label: name, words: [name, ...name.split('_'), ...others] }
  })

/** The emoji for the beginning of a name: by their own name first, then by other words. */
export function findEmoji(query: string): EmojiItem[] {
  const wanted = query.toLowerCase()
  const byName = ENTRIES.filter(({ label }) => label.startsWith(wanted))
  const byWord = ENTRIES.filter(
    (entry) => !byName.includes(entry) && entry.words.some((word) => word.startsWith(wanted)),
  )
  return [...byName, ...byWord].slice(0, 12)
}
