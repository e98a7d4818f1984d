from reference_runtime.clock import Clock


def test_timers_fire_in_order_of_time_then_of_setting():
    clock, fired = Clock(), []
    for name, delay in (("late", 5), ("first", 2), ("second", 2)):
        clock.after(delay, lambda name=name: fired.append((clock.now, name)))
    for timer in clock.advance(5):
        timer.action()

    assert [(2, "first"), (2, "second"), (5, "late")] == fired


def test_timer_set_by_a_timer_fires_within_the_same_advance():
    clock, fired = Clock(), []
    clock.after(1, lambda: clock.after(1, lambda: fired.append(clock.now)))
    for timer in clock.advance(10):
        timer.action()

    assert ([2], 10) == (fired, clock.now)


def test_cancelled_timer_neither_fires_nor_counts():
    clock = Clock()
    timer = clock.after(1, lambda: None)
    clock.after(3, lambda: None)
    timer.cancel()

    assert 3 == clock.next_in()
    assert [3] == [fired.due for fired in clock.advance(5)]


def test_time_left_is_counted_from_now_and_absent_without_timers():
    clock = Clock()

    assert clock.next_in() is None

    clock.after(4, lambda: None)
    list(clock.advance(1.5))

    assert 2.5 == clock.next_in()


def test_advancing_by_the_time_left_reaches_the_timer_despite_rounding():
    clock = Clock()
    clock.after(1.1, lambda: None)
    for _ in range(3):
        list(clock.advance(0.1))

    assert [1.1] == [timer.due for timer in clock.advance(clock.next_in())]
